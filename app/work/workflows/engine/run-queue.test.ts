import { expect, it } from "vitest";
import { RunQueue } from "./run-queue";

const takeAll = (queue: RunQueue) => {
  const ids: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) ids.push(next.runId);
  return ids;
};

function queueOf(...runIds: string[]): RunQueue {
  const queue = new RunQueue(50);
  for (const id of runIds) queue.add(id[0] ?? "", id);
  return queue;
}

it("takes one run of each workflow in turn", () => {
  expect(takeAll(queueOf("a1", "a2", "a3", "b1", "b2", "c1"))).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
});

it("takes a workflow without a turn before all that had one", () => {
  const queue = queueOf("a1", "a2", "b1", "b2", "c1", "c2");
  expect([queue.take()?.runId, queue.take()?.runId, queue.take()?.runId]).toEqual(["a1", "b1", "c1"]);
  queue.add("n", "n1");
  queue.add("n", "n2");
  expect(takeAll(queue)).toEqual(["n1", "a2", "b2", "c2", "n2"]);
});

it("gives a workflow whose runs have all ended a first turn again", () => {
  const queue = queueOf("a1", "b1", "b2");
  expect([queue.take()?.runId, queue.take()?.runId]).toEqual(["a1", "b1"]);
  queue.done("b");
  queue.remove("b", "b2");
  queue.add("a", "a2");
  queue.add("b", "b3");
  expect(takeAll(queue)).toEqual(["b3", "a2"]);
});

it("runs at most ten of a workflow, and no more than its limit", () => {
  const many = Array.from({ length: 12 }, (_, index) => `a${index}`);
  const queue = queueOf(...many, "b1");
  expect(takeAll(queue)).toEqual(["a0", "b1", ...many.slice(1, 10)]);
  queue.done("a");
  expect(takeAll(queue)).toEqual(["a10"]);
  const small = new RunQueue(1);
  for (const id of ["a", "b"]) small.add(id, id);
  expect(takeAll(small)).toEqual(["a"]);
});
