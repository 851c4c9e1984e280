import { textMatcher } from "~/core/language/find-words.shared";
import { type Command, commands } from "./commands";

// Apart from the commands, whose keys each page has, since folding is large for a page.

/** Matches every word. @param missing what commands need and this person lacks: permissions, and settings turned off */
export function matchCommands(query: string, missing: readonly string[] = []): Command[] {
  const matches = textMatcher(query);
  return commands.filter(({ name, keywords, needs, setting }) => {
    if ([needs, setting].some((need) => need && missing.includes(need))) return false;
    return matches(`${name} ${keywords}`);
  });
}
