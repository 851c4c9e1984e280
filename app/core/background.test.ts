import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openTestDatabase } from "../../tests/support/database";
import { listFailingWork, runInBackground, runLater, runNext } from "./background.server";
import { onCommit, rawDatabase, transaction } from "./db.server";

const succeed = (name: string) => runInBackground(name, () => undefined);
afterEach(() => {
  for (const name of listFailingWork()) succeed(name);
});

it("catches what work throws or rejects, and reports it until the work succeeds", async () => {
  const broken = () => {
    throw new Error("The disk is full.");
  };
  runInBackground("at once", broken);
  runInBackground("a promise", async () => broken());
  runNext("the next turn", broken);
  const timer = runLater("a timer", 0, broken);
  timer.ref();
  await expect.poll(listFailingWork).toEqual(["at once", "a promise", "the next turn", "a timer"]);
  succeed("at once");
  runInBackground("a promise", async () => undefined);
  await turn();
  expect(listFailingWork()).toEqual(["the next turn", "a timer"]);
});

it("leaves a full disk to the problem that health has of it", () => {
  runInBackground("full", () => {
    throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  expect(listFailingWork()).toEqual([]);
});

it("lets a commit stand whose listener throws, and calls the others", () => {
  const test = openTestDatabase();
  const called: string[] = [];
  const stops = [
    onCommit("a listener", () => {
      called.push("first");
      throw new Error("It must not throw.");
    }),
    onCommit("another", () => void called.push("second")),
  ];
  try {
    expect(
      transaction(() => rawDatabase().prepare("UPDATE organisations SET name = 'Kept'").run().changes),
    ).toBe(1);
    expect(called).toEqual(["first", "second"]);
    expect(listFailingWork()).toEqual(["a listener"]);
  } finally {
    for (const stop of stops) stop();
    test.close();
  }
});
