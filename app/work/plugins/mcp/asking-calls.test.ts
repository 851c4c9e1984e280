import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type AskFor, askPersonOf, callAsking } from "./asking-calls.server";

const never = new AbortController().signal;
let client: Client;
/** Who was asked what. */
let asked: string[];
beforeEach(() => {
  vi.useFakeTimers();
  client = {} as Client;
  asked = [];
});
afterEach(() => vi.useRealTimers());

const ask = (question: string, withdrawn = never) => askPersonOf(client, question, withdrawn);

/** A call that runs until it is ended, and answers at once. */
function run(name: string, person?: string, answer?: AskFor) {
  const answered: AskFor = async (question) => {
    asked.push(`${name}: ${question}`);
    return answer ? answer(question) : { action: "accept", content: { name } };
  };
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ask = person === undefined ? undefined : answered;
  const call = callAsking(client, { person, ask }, () => work);
  return async () => {
    end();
    await call;
  };
}

it("asks the person of the only call", async () => {
  run("a", "ada");
  expect(await ask("who")).toEqual({ action: "accept", content: { name: "a" } });
});

it("asks nobody where no call has a person, or none runs", async () => {
  expect(await ask("who")).toBeUndefined();
  run("flow");
  run("other flow");
  expect(await ask("who")).toBeUndefined();
});

it("asks two calls of one person one question each", async () => {
  run("a", "ada");
  run("b", "ada");
  await Promise.all([ask("one"), ask("two")]);
  expect(asked).toEqual(["a: one", "b: two"]);
});

it("waits for another call of the same person to end, for two seconds", async () => {
  const end = run("a", "ada");
  run("b", "ada");
  const answer = ask("one");
  await end();
  expect(await answer).toEqual({ action: "accept", content: { name: "b" } });
  run("c", "ada");
  const late = ask("two");
  await vi.advanceTimersByTimeAsync(2000);
  expect(await late).toEqual({ action: "accept", content: { name: "b" } });
});

it("asks the other call if the one that was asked ends without the question", async () => {
  let withdraw = () => {};
  const end = run("a", "ada", () => {
    return new Promise((resolve) => {
      withdraw = () => resolve({ action: "cancel" });
    });
  });
  run("b", "ada");
  const answer = ask("one");
  await vi.advanceTimersByTimeAsync(2000);
  await end();
  withdraw();
  expect(await answer).toEqual({ action: "accept", content: { name: "b" } });
  expect(asked).toEqual(["a: one", "b: one"]);
});

it("never asks one person what may be another's question", async () => {
  run("a", "ada");
  const end = run("b", "bob");
  const answers = Promise.all([ask("one"), ask("two")]);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answers).toEqual([undefined, undefined]);
  const later = ask("three");
  await end();
  expect(await later).toEqual({ action: "accept", content: { name: "a" } });
});

it("forgets a question that was taken back", async () => {
  run("a", "ada");
  run("b", "ada");
  const controller = new AbortController();
  const answer = ask("one", controller.signal);
  controller.abort();
  expect(await answer).toBeUndefined();
  expect(await ask("two", AbortSignal.abort())).toBeUndefined();
  expect(asked).toEqual([]);
});
