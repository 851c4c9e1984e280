/** A screen in the side navigation, in the palette or in both. `icon` is a name of `ui/icons`. */
export interface ScreenFacts {
  name: string;
  to: string;
  icon: string;
  /** Place in the side navigation, from 1; "bottom" stands apart. Without it the palette alone has it. */
  side?: number | "bottom";
  /** Addresses of other screens that belong to it in the navigation. */
  covers?: readonly string[];
  /** The number key that opens it together with Ctrl or Cmd, which is also its place in the palette; last without. */
  key?: string;
  /** The letter that opens it after `g`: browsers keep some combinations for themselves. */
  letter: string;
  /** Other words that a person may search for. */
  keywords: string;
  /** The permission without which the palette doesn't offer it. */
  needs?: string;
}

/** An action in the palette. */
export interface CommandFacts {
  id: string;
  name: string;
  to: string;
  icon: string;
  /** The key that runs it together with Ctrl or Cmd. */
  key?: string;
  /** The letter that runs it after `g`. */
  letter?: string;
  keywords: string;
  /** The permission without which the palette doesn't offer it. */
  needs?: string;
}
