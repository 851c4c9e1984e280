import { Link, useLocation, useNavigation } from "@remix-run/react";
import { Check, ChevronsUpDown, Code, LogOut, Monitor, Moon, Sun, UserRound } from "lucide-react";
import { type ReactNode, useSyncExternalStore } from "react";
import { basePath, withoutBase } from "~/core/base-path";
import type { Theme } from "~/platform/settings/groups/branding.schema";
import type { CurrentUser } from "~/team/members/members.schema";
import { Avatar } from "~/ui/avatar";
import { cx } from "~/ui/class-names";
import { readConnection, subscribe } from "~/ui/connection";
import { BrandLogo } from "~/ui/logo";
import { Menu, MenuLabel, MenuLink, MenuSeparator, MenuSubmit } from "~/ui/menu";
import { bottomItems, isWithin, items, type NavigationItem } from "./navigation";

interface SideNavigationProps {
  appName: string;
  logoUrl: string;
  /** Replaces a logo; empty for the product's mark. */
  initial: string;
  /** Between the screens and Settings. */
  conversations?: ReactNode;
  children: ReactNode;
}

export function SideNavigation({ appName, logoUrl, initial, conversations, children }: SideNavigationProps) {
  return (
    <div className="flex h-full flex-col gap-1 p-3">
      <Link
        to="/"
        className="mb-3 flex min-h-10 items-center gap-2.5 pointer-coarse:min-h-11 rounded-md px-2 font-semibold text-ink"
      >
        <BrandLogo src={logoUrl} initial={initial} />
        <span className="truncate">{appName}</span>
      </Link>
      {/* Positioned: visually hidden text of a long list would otherwise make the page taller. */}
      <div className="relative -mx-3 flex min-h-0 flex-1 flex-col overflow-y-auto px-3">
        <nav aria-label="Main" className="contents">
          <ul className="flex flex-col gap-0.5">
            {items.map((item) => (
              <Item key={item.to} item={item} />
            ))}
          </ul>
          <ul className="order-last mt-auto flex flex-col gap-0.5 pt-2">
            {bottomItems.map((item) => (
              <Item key={item.to} item={item} />
            ))}
          </ul>
        </nav>
        {conversations}
      </div>
      <div className="mt-2 border-line border-t pt-2">{children}</div>
    </div>
  );
}

function Item({ item }: { item: NavigationItem }) {
  const { pathname } = useLocation();
  const connection = useSyncExternalStore(subscribe, readConnection, () => "ok" as const);
  // Highlights a click before its data arrive.
  const { location } = useNavigation();
  const target = location && withoutBase(location.pathname);
  const isActive = isWithin(pathname, item);
  const isMarked = target === undefined ? isActive : isWithin(target, item);
  return (
    <li>
      <Link
        to={item.to}
        // Remix reloads the page if prefetching a script fails, and asks for the dashboard's data beside a base path.
        prefetch={connection === "ok" && (item.to !== "/" || !basePath()) ? "intent" : "none"}
        aria-current={isActive ? "page" : undefined}
        className={cx(
          "relative flex min-h-9 items-center gap-3 rounded-md px-2.5 transition-colors pointer-coarse:min-h-11",
          "focus-visible:outline-offset-[-2px] [&_svg]:size-4 [&_svg]:shrink-0",
          isMarked
            ? "marked bg-active font-medium text-ink before:absolute before:inset-y-2 before:left-0 before:w-0.5 before:rounded-full before:bg-primary-ink [&_svg]:text-primary-ink"
            : "text-muted hover:bg-hover hover:text-ink",
        )}
      >
        <item.icon aria-hidden="true" />
        <span className="truncate">{item.name}</span>
      </Link>
    </li>
  );
}

/** Full name, local part of the email, or 'User'. */
function displayName(user: Pick<CurrentUser, "firstName" | "lastName" | "email">): string {
  const full = [user.firstName, user.lastName].filter(Boolean).join(" ").trim();
  return full || user.email?.split("@")[0] || "User";
}

const CHOICES: { theme: Theme; name: string; icon: typeof Sun }[] = [
  { theme: "dark", name: "Dark", icon: Moon },
  { theme: "light", name: "Light", icon: Sun },
  { theme: "auto", name: "System", icon: Monitor },
];

export function UserCard({ user, theme }: { user: CurrentUser; theme: Theme }) {
  const location = useLocation();
  const name = displayName(user);
  const role = user.role || "Member";
  return (
    <Menu
      side="top"
      align="start"
      buttonClassName="flex min-h-12 w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-hover"
      button={
        <>
          <Avatar name={name} src={user.profileImageUrl} />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium text-ink">{name}</span>
            <span className="block truncate text-muted text-xs first-letter:uppercase">{role}</span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </>
      }
    >
      <p className="truncate px-2 pt-1.5 pb-1 text-muted text-xs">{user.email}</p>
      <MenuLink to="/settings?tab=profile" icon={<UserRound />}>
        Profile
      </MenuLink>
      <MenuLink to="/docs/api" reloadDocument icon={<Code />}>
        API Reference
      </MenuLink>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      {CHOICES.map((choice) => (
        <MenuSubmit
          key={choice.theme}
          action="/theme"
          values={{ theme: choice.theme, returnTo: location.pathname + location.search }}
          checked={choice.theme === theme}
          icon={<choice.icon />}
        >
          <span className="flex-1">{choice.name}</span>
          {choice.theme === theme && <Check aria-hidden="true" />}
        </MenuSubmit>
      ))}
      <MenuSeparator />
      <MenuSubmit action="/logout" reloadDocument icon={<LogOut />}>
        Sign Out
      </MenuSubmit>
    </Menu>
  );
}
