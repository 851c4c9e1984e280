import type { LucideIcon } from "lucide-react";
import { commands as actions, screens } from "~/platform/catalogue/screens";
import { icons } from "~/ui/icons";
import type { FoundItem } from "../find.schema";

export interface Command {
  id: string;
  group: "Actions" | "Navigation";
  name: string;
  to: string;
  icon: LucideIcon;
  /** With Ctrl or Cmd. */
  key?: string;
  /** After `g`, as browsers reserve some combinations. */
  letter?: string;
  keywords: string;
  needs?: string | undefined;
  setting?: string | undefined;
  values?: Readonly<Record<string, string>>;
  leaves?: boolean;
}

/** In the order of palette and page. */
export const commands: readonly Command[] = [
  ...actions.map((action) => ({ ...action, icon: icons[action.icon], group: "Actions" as const })),
  ...screens
    .map(({ name, to, icon, letter, keywords, ...screen }) => ({
      id: `go-${name.toLowerCase().replace(/[^a-z]+/g, "-")}`,
      group: "Navigation" as const,
      name,
      to,
      icon: icons[icon],
      ...("key" in screen && { key: screen.key }),
      letter,
      keywords,
      needs: "needs" in screen ? screen.needs : undefined,
    }))
    .sort((a, b) => Number(a.key ?? 10) - Number(b.key ?? 10)),
];

/** In ms. */
const SEQUENCE_TIME = 1500;
/** Keys that a page has uses for: they work only while the palette is closed and nothing can take them. */
const YIELDING = /^[ncd]$/i;

export interface KeyPress {
  key: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
}

export interface ShortcutContext {
  mac: boolean;
  paletteOpen: boolean;
  inField: boolean;
  /** Whether something else on the page can take the key, such as a selection. */
  isTaken: boolean;
  now: number;
}

export type Outcome = { run: Command } | { toggle: true } | undefined;

type TypedKey = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** @returns the text after a key press; undefined if the key doesn't edit it */
export function typeAhead(text: string, { key, ctrlKey, metaKey, altKey }: TypedKey): string | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "Backspace") return text.slice(0, -1);
  // Enter would activate what is below.
  if (key === "Enter") return text;
  return [...key].length === 1 ? text + key : undefined;
}

/** Remembers a `g` between key presses. */
export function createShortcuts(): (press: KeyPress, context: ShortcutContext) => Outcome {
  let pressedG = Number.NEGATIVE_INFINITY;
  return (press, context) => {
    const { key, alt, shift } = press;
    // On a Mac, Ctrl with a letter edits text.
    const modifier = press.meta || (press.ctrl && !context.mac);
    const waiting = context.now - pressedG < SEQUENCE_TIME;
    pressedG = Number.NEGATIVE_INFINITY;
    // The open palette lists all shortcuts.
    if (key === "?" && !alt && !modifier && !context.paletteOpen && !context.inField) return { toggle: true };
    if (alt || shift) return undefined;
    if (modifier) return pressedWithModifier(key, context);
    if (press.ctrl || context.paletteOpen || context.inField) return undefined;
    if (waiting) {
      const command = commands.find(({ letter }) => letter === key.toLowerCase());
      return command && { run: command };
    }
    if (key === "g") pressedG = context.now;
    return undefined;
  };
}

function pressedWithModifier(key: string, context: ShortcutContext): Outcome {
  if (key.toLowerCase() === "k") return { toggle: true };
  if (YIELDING.test(key) && (context.paletteOpen || context.inField || context.isTaken)) return undefined;
  const command = commands.find((one) => one.key === key.toLowerCase());
  return command && { run: command };
}

export const FOUND_GROUPS: readonly (readonly [kind: FoundItem["kind"], label: string])[] = [
  ["conversation", "Conversations"],
  ["document", "Documents"],
  ["persona", "Personas"],
  ["model", "Models"],
  ["setting", "Settings"],
];

export const FOUND_ICONS: Readonly<Record<FoundItem["kind"], (typeof icons)[keyof typeof icons]>> = {
  conversation: icons.MessageSquare,
  document: icons.FileSearch,
  persona: icons.Bot,
  model: icons.Cable,
  setting: icons.Settings,
};
