#!/usr/bin/env node
'use strict';

import { readFile } from 'node:fs/promises';
import path from 'node:path';

// How many to keep.
const LIMIT = 3;

/**
 * Adds two numbers.
 */
export function add(first, second) {
  return first + second;
}

// Doubles.
const double = (value) => {
  const result = value * 2;

  return result;
};

/** A queue of jobs. */
export default class Queue extends Base {
  #size = 0;

  // Makes one.
  constructor(name) {
    super();
    this.name = name;
  }

  /* Puts a job
   * at the end. */
  async push(job) {
    if (job) {
      this.#size += 1;
    } else {
      throw new Error('no job');
    }
  }

  handle = (event) => {
    this.push(event);
  };
}

// Found by path.
exports.find = function (name) {
  return path.join(name);
};

module.exports = {
  // The first.
  first() {
    return 1;
  },

  second: function () {
    return 2;
  },
};

function View({ items }) {
  return (
    <ul className="items">
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  );
}

switch (LIMIT) {
  case 1:
    add(1, 2);
    break;
  default:
    add(2, 3);
}
