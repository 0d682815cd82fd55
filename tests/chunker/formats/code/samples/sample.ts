import { Component } from '@angular/core';

// What a job is.
export interface Job {
  name: string;
  run(): Promise<void>;
}

/** All states. */
export enum State {
  Idle = 1,
  Busy,
}

type Handler<T> = (value: T) => void;

// Shows jobs.
@Component({
  selector: 'app-jobs',
  template: '<p></p>',
})
export class Jobs implements Job {
  name = 'jobs';

  // When the page is hidden.
  @HostListener('window:blur', [
    '$event',
  ])
  onBlur(event: Event): void {
    this.name = event.type;
  }

  async run(): Promise<void> {
    return undefined;
  }
}

namespace Tools {
  // Doubles.
  export function double(value: number): number {
    return value * 2;
  }
}

declare module 'left-pad' {
  export function pad(text: string): string;
}

abstract class Shape {
  abstract area(): number;

  describe(): string {
    return `${this.area()}`;
  }
}

// A wrapped one.
export const identity = <T>(value: T): T => {
  return value;
};
