import type { LucideIcon } from "lucide-react";
import { commands as actions, screens } from "~/features/screens.schema";
import { icons } from "~/ui/icons";

export interface Command {
  id: string;
  group: "Actions" | "Navigation";
  name: string;
  to: string;
  icon: LucideIcon;
  /** The key that runs it together with Ctrl or Cmd. */
  key?: string;
  /** The letter that runs it after `g`: browsers keep some of the combinations above for themselves. */
  letter?: string;
  /** Other words a person may look for. */
  keywords: string;
  /** The permission that it needs. */
  needs?: string | undefined;
}

/** Every command, in the order of the palette and of its page. */
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

/** The commands in which every word of the query is found, without those that need what a person doesn't have. */
export function matchCommands(query: string, missing: readonly string[] = []): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ name, keywords, needs }) => {
    if (needs && missing.includes(needs)) return false;
    const text = `${name} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The command of a key pressed together with Ctrl or Cmd. */
export function commandOfKey(key: string): Command | undefined {
  return commands.find((command) => command.key === key.toLowerCase());
}

/** The command of a letter pressed after `g`. */
export function commandOfLetter(letter: string): Command | undefined {
  return commands.find((command) => command.letter === letter.toLowerCase());
}
