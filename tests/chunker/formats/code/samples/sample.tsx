import React, { useState } from 'react';

interface Props {
  title: string;
}

// Shows a counter.
export const Counter: React.FC<Props> = ({ title }) => {
  const [count, setCount] = useState(0);

  return (
    <section>
      <h1>{title}</h1>
      <button onClick={() => setCount(count + 1)}>{count}</button>
    </section>
  );
};

/** The page. */
export default function Page(): JSX.Element {
  return <Counter title="jobs" />;
}
