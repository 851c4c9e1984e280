import { type Command, commandOfKey, commandOfLetter } from "./commands";

/** How long `g` waits for its letter, in milliseconds. */
const SEQUENCE_TIME = 1500;
/** These three are for when the palette is closed; the numbers always work. */
const CLOSED_ONLY = /^[ncd]$/i;

export interface KeyPress {
  key: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
}

export interface Situation {
  mac: boolean;
  paletteOpen: boolean;
  /** A field has the focus. */
  inField: boolean;
  /** Some text is selected. */
  selection: boolean;
  /** The clock, in milliseconds. */
  now: number;
}

export type Outcome = { run: Command } | { toggle: true } | undefined;

/** Decides what a key does; remembers a `g` between two presses. */
export function createShortcuts(): (press: KeyPress, situation: Situation) => Outcome {
  let pressedG = Number.NEGATIVE_INFINITY;
  return (press, situation) => {
    const { key, alt, shift } = press;
    // On a Mac, Ctrl with a letter edits text.
    const modifier = press.meta || (press.ctrl && !situation.mac);
    const waiting = situation.now - pressedG < SEQUENCE_TIME;
    pressedG = Number.NEGATIVE_INFINITY;
    // The open palette lists every command with its keys.
    if (key === "?" && !alt && !modifier && !situation.paletteOpen && !situation.inField)
      return { toggle: true };
    if (alt || shift) return undefined;
    if (modifier) return pressedWithModifier(key, situation);
    if (press.ctrl || situation.paletteOpen || situation.inField) return undefined;
    if (waiting) {
      const command = commandOfLetter(key);
      return command && { run: command };
    }
    if (key === "g") pressedG = situation.now;
    return undefined;
  };
}

function pressedWithModifier(key: string, situation: Situation): Outcome {
  if (key.toLowerCase() === "k") return { toggle: true };
  if (CLOSED_ONLY.test(key) && situation.paletteOpen) return undefined;
  // Copying always works.
  if (key.toLowerCase() === "c" && (situation.selection || situation.inField)) return undefined;
  const command = commandOfKey(key);
  return command && { run: command };
}
