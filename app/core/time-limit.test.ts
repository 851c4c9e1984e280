import { expect, it } from "vitest";
import { runWithTimeLimit } from "./time-limit.server";

const spin = (milliseconds: number) => {
  const until = process.threadCpuUsage().user + milliseconds * 1000;
  while (process.threadCpuUsage().user < until);
};
const stand = (milliseconds: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

it("returns the value of quick work and rethrows its error", () => {
  expect(runWithTimeLimit(() => 7, 100)).toEqual({ value: 7 });
  expect(runWithTimeLimit(() => undefined, 100)).toEqual({ value: undefined });
  expect(() =>
    runWithTimeLimit(() => {
      throw new Error("refused");
    }, 100),
  ).toThrow("refused");
});

it("interrupts a loop and a regular expression that backtracks", () => {
  expect(runWithTimeLimit(() => spin(60_000), 20)).toBeUndefined();
  expect(runWithTimeLimit(() => /^(a+)+$/.test(`${"a".repeat(40)}b`), 20)).toBeUndefined();
});

it("runs work again that others kept from running", () => {
  let runs = 0;
  const work = () => {
    runs += 1;
    if (runs < 3) stand(200);
    return "done";
  };
  expect(runWithTimeLimit(work, 50)).toEqual({ value: "done" });
  expect(runs).toBe(3);
});

it("gives up on work that never finishes", () => {
  let runs = 0;
  const work = () => {
    runs += 1;
    stand(200);
    return "done";
  };
  expect(runWithTimeLimit(work, 50)).toBeUndefined();
  expect(runs).toBe(5);
});
