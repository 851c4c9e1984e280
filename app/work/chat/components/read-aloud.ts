import { detailOf, UNREACHABLE } from "~/ui/failures";
import { showToast } from "~/ui/toast-store";
import { spokenPieces, spokenText } from "../voice/spoken-text.shared";

interface Reading {
  /** Where a provider reads the answer; undefined if the browser does. */
  address: string | undefined;
  content: string;
  /** Stops it. */
  controller: AbortController;
}

let stopCurrent: () => void = () => undefined;

const failed = (description: string) =>
  showToast({ kind: "error", title: "Couldn't read the answer aloud", description });

interface Sound {
  bytes: ArrayBuffer;
  pieces: number;
}

async function load(address: string, part: number, signal: AbortSignal): Promise<Sound | undefined> {
  try {
    const response = await fetch(`${address}?part=${part}`, { signal });
    if (response.ok)
      return {
        bytes: await response.arrayBuffer(),
        pieces: Number(response.headers.get("X-Speech-Parts") ?? 1),
      };
    failed(detailOf(response.status, await response.json().catch(() => undefined)));
  } catch {
    if (!signal.aborted) failed(UNREACHABLE);
  }
  return undefined;
}

/** Plays a sound to its end, or until the signal aborts. Through Web Audio, which the page's policy has no say in. */
async function play(context: AudioContext, bytes: ArrayBuffer, signal: AbortSignal): Promise<void> {
  const source = context.createBufferSource();
  source.buffer = await context.decodeAudioData(bytes);
  source.connect(context.destination);
  if (signal.aborted) return;
  await new Promise<void>((ended) => {
    source.onended = () => ended();
    signal.addEventListener("abort", () => source.stop(), { once: true });
    source.start();
  });
}

async function readByModel(address: string, signal: AbortSignal): Promise<void> {
  const context = new AudioContext();
  try {
    // Browsers that have forgotten the click meanwhile begin it suspended.
    void context.resume();
    let next: Promise<Sound | undefined> | undefined = load(address, 0, signal);
    for (let part = 1; next; part++) {
      const sound: Sound | undefined = await next;
      if (!sound || signal.aborted) return;
      // The next piece is made while this one is heard.
      next = part < sound.pieces ? load(address, part, signal) : undefined;
      await play(context, sound.bytes, signal);
      if (signal.aborted) return;
    }
  } catch {
    failed("The browser can't play this sound. An admin may choose another speech model.");
  } finally {
    void context.close();
  }
}

function readByBrowser(text: string, signal: AbortSignal): Promise<void> {
  return new Promise((ended) => {
    const pieces = spokenPieces(text).map((piece) => new SpeechSynthesisUtterance(piece));
    const last = pieces.at(-1);
    if (!last || signal.aborted) return ended();
    for (const piece of pieces) {
      piece.onerror = () => ended();
      speechSynthesis.speak(piece);
    }
    last.onend = () => ended();
    signal.addEventListener(
      "abort",
      () => {
        speechSynthesis.cancel();
        ended();
      },
      { once: true },
    );
  });
}

/** Reads an answer aloud, and stops what was read before. */
export async function readAnswer({ address, content, controller }: Reading): Promise<void> {
  stopCurrent();
  const stop = () => controller.abort();
  stopCurrent = stop;
  window.addEventListener("pagehide", stop);
  const { signal } = controller;
  await (address ? readByModel(address, signal) : readByBrowser(spokenText(content), signal));
  window.removeEventListener("pagehide", stop);
  if (stopCurrent === stop) stopCurrent = () => undefined;
}
