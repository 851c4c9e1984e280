/** A screen for navigation and palette. `icon` is a name of `ui/icons`. */
export interface ScreenFacts {
  name: string;
  to: string;
  icon: string;
  /** Position in the navigation from 1; palette only if absent. */
  side?: number | "bottom";
  /** Other paths that highlight it. */
  covers?: readonly string[];
  /** Number key with Ctrl or Cmd, and position in the palette. */
  key?: string;
  /** After `g`, as browsers reserve some combinations. */
  letter: string;
  /** Other words that a person may search for. */
  keywords: string;
  /** Permission to be offered. */
  needs?: string;
}

/** An action in the palette. */
export interface CommandFacts {
  id: string;
  name: string;
  to: string;
  icon: string;
  /** With Ctrl or Cmd. */
  key?: string;
  /** After `g`. */
  letter?: string;
  keywords: string;
  /** Permission to be offered. */
  needs?: string;
}
