import { Link, useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { Logo } from "~/ui/logo";
import { bottomItems, isWithin, items, type NavigationItem } from "./navigation";

interface SideNavigationProps {
  appName: string;
  logoUrl: string;
  /** The user card. */
  children: ReactNode;
}

/** The mark, the screens, Settings and the user card, top to bottom; the same in the sidebar and in the drawer. */
export function SideNavigation({ appName, logoUrl, children }: SideNavigationProps) {
  return (
    <div className="flex h-full flex-col gap-1 p-3">
      <Link
        to="/"
        className="mb-3 flex min-h-10 items-center gap-2.5 pointer-coarse:min-h-11 rounded-md px-2 font-semibold text-ink"
      >
        {logoUrl.startsWith("/") ? <img src={logoUrl} alt="" className="size-7 object-contain" /> : <Logo />}
        <span className="truncate">{appName}</span>
      </Link>
      <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <ul className="flex flex-1 flex-col gap-0.5">
          {items.map((item) => (
            <Item key={item.to} item={item} />
          ))}
          {bottomItems.map((item, index) => (
            <Item key={item.to} item={item} className={index === 0 ? "mt-auto" : ""} />
          ))}
        </ul>
      </nav>
      <div className="mt-2 border-line border-t pt-2">{children}</div>
    </div>
  );
}

function Item({ item, className }: { item: NavigationItem; className?: string }) {
  const { pathname } = useLocation();
  // What was clicked is marked at once, whenever its data come.
  const target = useNavigation().location?.pathname;
  const isActive = isWithin(pathname, item);
  const isMarked = target === undefined ? isActive : isWithin(target, item);
  return (
    <li className={className}>
      <Link
        to={item.to}
        prefetch="intent"
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
