import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { ByteReceiver, GuardedSend } from "~/core/egress/index.server";
import { ProviderHttpError } from "./provider-errors.server";
import { callProvider, readBytes } from "./provider-response.service.server";

const URL_ASKED = new URL("http://127.0.0.1/v1/models");
const PATIENCE = { firstByteMs: 10_000, betweenBytesMs: 10_000 };

/** An upstream that answers with a status and the bytes `deliver` hands over. */
const upstream =
  (status: number, deliver: (receiver: ByteReceiver) => void): GuardedSend =>
  async () => ({
    status,
    statusText: "",
    headers: new Headers({ "content-type": status === 206 ? "text/html" : "application/json" }),
    stream: () => null,
    receive(receiver) {
      deliver(receiver);
      return { pause() {}, resume() {}, cancel() {} };
    },
    discard() {},
  });

const whole = (receiver: ByteReceiver) => {
  receiver.data(Buffer.from("{}"));
  receiver.end();
};
const broken = (receiver: ByteReceiver) => receiver.fail(new Error("reset"));
const pending = () => undefined;

describe("a provider's response", () => {
  const { signal } = new AbortController();
  const ask = (status: number, deliver: (receiver: ByteReceiver) => void) =>
    callProvider(upstream(status, deliver), { url: URL_ASKED, headers: {}, body: "{}", signal }, PATIENCE);
  const listeners = () => getEventListeners(signal, "abort").length;

  it("leaves no listener on the signal of a call that is retried", async () => {
    for (let attempt = 0; attempt < 12; attempt++)
      await expect(ask(500, whole)).rejects.toBeInstanceOf(ProviderHttpError);
    await expect(ask(206, pending)).rejects.toThrow("web page");
    expect(listeners()).toBe(0);
  });

  it("listens until its body is read, fails or is given up", async () => {
    const read = await ask(200, whole);
    expect(listeners()).toBe(1);
    await readBytes(read, { ...PATIENCE, max: 10 });
    expect(listeners()).toBe(0);

    const failed = await ask(200, broken);
    await expect(readBytes(failed, { ...PATIENCE, max: 10 })).rejects.toThrow("could not be reached");
    expect(listeners()).toBe(0);

    const canceled = await ask(200, pending);
    canceled.receive({ data: pending, end: pending, fail: pending }).cancel();
    (await ask(200, pending)).discard();
    expect(listeners()).toBe(0);
  });
});
