import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SilenceClock } from "./clock.server";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the clock of silence in a busy process", () => {
  it("hears what came while the process was busy", async () => {
    vi.useRealTimers();
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const [sender] = await once(server, "connection");
    await once(reader, "connect");
    const heard: string[] = [];
    const clock = new SilenceClock(20, () => heard.push("silence"));
    reader.on("data", () => {
      heard.push("data");
      clock.restart();
    });
    clock.wait();
    sender.write("x");
    for (const end = performance.now() + 100; performance.now() < end; );
    await expect.poll(() => heard).toEqual(["data", "silence"]);
    reader.destroy();
    server.close();
  });
});

describe("the clock of silence", () => {
  it("counts only the time spent waiting", () => {
    const onSilence = vi.fn();
    const clock = new SilenceClock(1000, onSilence);
    clock.wait();
    vi.advanceTimersByTime(600);
    clock.pause();
    vi.advanceTimersByTime(60_000);
    clock.wait();
    vi.advanceTimersByTime(399);
    expect(onSilence).not.toHaveBeenCalled();
    // One for the end of the time, and one for the last look.
    vi.advanceTimersByTime(2);
    expect(onSilence).toHaveBeenCalledOnce();
  });

  it.each(["while waiting", "while paused"])("starts again when it is restarted %s", (when) => {
    const onSilence = vi.fn();
    const clock = new SilenceClock(1000, onSilence);
    clock.wait();
    vi.advanceTimersByTime(900);
    if (when === "while paused") clock.pause();
    clock.restart();
    clock.wait();
    vi.advanceTimersByTime(999);
    expect(onSilence).not.toHaveBeenCalled();
    // One for the end of the time, and one for the last look.
    vi.advanceTimersByTime(2);
    expect(onSilence).toHaveBeenCalledOnce();
  });

  it("doesn't count the time in which the process was suspended", () => {
    const onSilence = vi.fn();
    const clock = new SilenceClock(10_000, onSilence);
    clock.wait();
    vi.advanceTimersByTime(5000);
    const running = performance.now.bind(performance);
    // After a suspension the clock has moved on and the timers are late.
    const late = vi.spyOn(performance, "now").mockImplementation(() => running() + 3_600_000);
    vi.advanceTimersByTime(1000);
    expect(onSilence).not.toHaveBeenCalled();
    clock.pause();
    clock.wait();
    vi.advanceTimersByTime(4900);
    expect(onSilence).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    expect(onSilence).toHaveBeenCalledOnce();
    late.mockRestore();
  });

  it("never fires once it is stopped", () => {
    const onSilence = vi.fn();
    const clock = new SilenceClock(1000, onSilence);
    clock.wait();
    clock.stop();
    vi.advanceTimersByTime(60_000);
    expect(onSilence).not.toHaveBeenCalled();
  });
});
