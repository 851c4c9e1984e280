import { useLocation } from "@remix-run/react";
import { Check, ChevronsUpDown, Code, LogOut, Monitor, Moon, Sun, UserRound } from "lucide-react";
import type { Theme } from "~/platform/settings/groups/branding.schema";
import type { CurrentUser } from "~/team/members/members.schema";
import { Avatar } from "~/ui/avatar";
import { Menu, MenuLabel, MenuLink, MenuSeparator, MenuSubmit } from "~/ui/menu";

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
