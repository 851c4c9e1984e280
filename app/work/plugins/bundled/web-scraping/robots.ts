/** In characters; RFC 9309, 2.5 allows a limit. */
const MAX_LENGTH = 500_000;

interface Rule {
  allow: boolean;
  path: string;
}

/** Splits at `*` without a regular expression, so nothing backtracks. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith("$");
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split("*");
  const [first = "", ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    if (isLast && anchored) return path.endsWith(part) && path.length - part.length >= at;
    const position = path.indexOf(part, at);
    if (position < 0) return false;
    at = position + part.length;
  }
  return !anchored || at === path.length;
}

/** Rules of the agent's groups, else of `*`. */
function rulesFor(robots: string, agent: string): Rule[] {
  const own: Rule[] = [];
  const everyone: Rule[] = [];
  let agents: string[] = [];
  let isHead = false;
  let hasOwn = false;
  for (const line of robots.slice(0, MAX_LENGTH).split(/\r\n?|\n/)) {
    const [, field = "", value = ""] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const name = field.toLowerCase();
    if (name === "user-agent") {
      if (!isHead) agents = [];
      agents.push(value.trim().toLowerCase());
      isHead = true;
    } else if (name === "allow" || name === "disallow") {
      isHead = false;
      const rule = { allow: name === "allow", path: value.trim() };
      if (agents.includes(agent)) own.push(rule);
      if (agents.includes("*")) everyone.push(rule);
    }
    if (agents.includes(agent)) hasOwn = true;
  }
  return hasOwn ? own : everyone;
}

/** RFC 9309: the longest rule wins; allow wins a tie. */
export function isAllowed(robots: string, agent: string, path: string): boolean {
  let best: Rule | undefined;
  for (const rule of rulesFor(robots, agent.toLowerCase())) {
    if (rule.path === "" || !matches(rule.path, path)) continue;
    const isBetter = !best || rule.path.length > best.path.length;
    if (isBetter || (rule.path.length === best?.path.length && rule.allow)) best = rule;
  }
  return best?.allow ?? true;
}
