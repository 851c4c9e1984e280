import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it, vi } from "vitest";
import { countOpen } from "./express.server";

class Answer extends EventEmitter {
  destroy = vi.fn(() => this.emit("close"));
}
const begin = (requests: ReturnType<typeof countOpen>) => {
  const answer = new Answer();
  requests.counted(() => {})({} as IncomingMessage, answer as unknown as ServerResponse);
  return answer;
};

it("a console without open requests ends at once", async () => {
  await expect(countOpen().drained(60_000)).resolves.toBeUndefined();
});

it("a console that ends waits for all open requests", async () => {
  const requests = countOpen();
  const [first, second] = [begin(requests), begin(requests)];
  let hasEnded = false;
  const ended = requests.drained(60_000).then(() => {
    hasEnded = true;
  });
  first.emit("close");
  await Promise.resolve();
  expect(hasEnded, "the second is still open").toBe(false);
  second.emit("close");
  await ended;
  expect(second.destroy, "none was cut off").not.toHaveBeenCalled();
});

it("a request that takes longer is cut off", async () => {
  vi.useFakeTimers();
  try {
    const requests = countOpen();
    const slow = begin(requests);
    const ended = requests.drained(5000);
    vi.advanceTimersByTime(4999);
    expect(slow.destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await ended;
    expect(slow.destroy).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
