import type { LucideIcon } from "lucide-react";
import { screens } from "~/platform/catalogue/screens";
import { icons } from "~/ui/icons";

export interface NavigationItem {
  name: string;
  to: string;
  icon: LucideIcon;
  /** Other paths that highlight it. */
  covers: readonly string[];
}

const inNavigation = screens.flatMap(({ name, to, icon, ...screen }) =>
  "side" in screen
    ? [{ name, to, icon: icons[icon], side: screen.side, covers: "covers" in screen ? screen.covers : [] }]
    : [],
);
const order = ({ side }: { side: number | "bottom" }) => (side === "bottom" ? Infinity : side);

export const items: readonly NavigationItem[] = inNavigation
  .filter(({ side }) => side !== "bottom")
  .sort((a, b) => order(a) - order(b));

export const bottomItems: readonly NavigationItem[] = inNavigation.filter(({ side }) => side === "bottom");

export function isWithin(pathname: string, { to, covers }: Pick<NavigationItem, "to" | "covers">): boolean {
  return [to, ...covers].some(
    (path) => pathname === path || (path !== "/" && pathname.startsWith(`${path}/`)),
  );
}

/** The screen that a page belongs to, of all that the palette knows. */
export function sectionOf(pathname: string): { name: string; to: string } | undefined {
  const above = screens.filter((entry) => entry.to !== "/" && isWithin(pathname, { covers: [], ...entry }));
  return above.sort((a, b) => b.to.length - a.to.length)[0];
}

/** Screens that have buttons of their own in the bar. */
const inBar = [
  { name: "Notifications", to: "/notifications", covers: [] },
  { name: "Search", to: "/search", covers: [] },
];

export const nameOf = (pathname: string): string | undefined =>
  [...items, ...bottomItems, ...inBar].find((item) => isWithin(pathname, item))?.name;
