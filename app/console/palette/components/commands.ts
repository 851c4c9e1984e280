import type { LucideIcon } from "lucide-react";
import { commands as actions, screens } from "~/platform/catalogue/screens";
import { icons } from "~/ui/icons";

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

/** Matches every word, without forbidden commands. */
export function matchCommands(query: string, missingPermissions: readonly string[] = []): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ name, keywords, needs }) => {
    if (needs && missingPermissions.includes(needs)) return false;
    const text = `${name} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export function commandOfKey(key: string): Command | undefined {
  return commands.find((command) => command.key === key.toLowerCase());
}

export function commandOfLetter(letter: string): Command | undefined {
  return commands.find((command) => command.letter === letter.toLowerCase());
}
