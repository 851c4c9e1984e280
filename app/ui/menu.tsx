import { MenuItem as HeadlessItem, Menu as HeadlessMenu, MenuButton, MenuItems } from "@headlessui/react";
import { Form, Link } from "@remix-run/react";
import { createContext, type ReactNode, useContext } from "react";
import { cx } from "./class-names";
import { useHydrated } from "./use-hydrated";

interface MenuProps {
  /** Names the button where its content doesn't. */
  label?: string;
  /** What stands on the button. */
  button: ReactNode;
  buttonClassName?: string;
  /** Which side of the button the list opens on. */
  side?: "top" | "bottom";
  align?: "start" | "end";
  children: ReactNode;
}

const Upgraded = createContext(false);

const ROW =
  "flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2 py-1 text-left text-ink hover:bg-hover data-focus:bg-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";

/**
 * A button with a list of links and small forms: `<details>` until the page is hydrated, Headless UI's menu with its
 * arrow keys and type-ahead from then on.
 */
export function Menu({
  label,
  button,
  buttonClassName,
  side = "bottom",
  align = "end",
  children,
}: MenuProps) {
  const hydrated = useHydrated();
  const panel = cx(
    "absolute z-40 min-w-52 rounded-lg bg-raised p-1 shadow-float",
    side === "top" ? "bottom-full mb-1.5" : "top-full mt-1.5",
    align === "end" ? "right-0" : "left-0",
  );
  if (!hydrated) {
    return (
      <details className="relative">
        <summary aria-label={label} className={buttonClassName}>
          {button}
        </summary>
        <div className={panel}>{children}</div>
      </details>
    );
  }
  return (
    <HeadlessMenu as="div" className="relative">
      <MenuButton aria-label={label} className={buttonClassName}>
        {button}
      </MenuButton>
      <MenuItems modal={false} className={cx(panel, "enter outline-none")}>
        <Upgraded.Provider value={true}>{children}</Upgraded.Provider>
      </MenuItems>
    </HeadlessMenu>
  );
}

interface MenuLinkProps {
  to: string;
  icon?: ReactNode;
  reloadDocument?: boolean;
  children: ReactNode;
}

export function MenuLink({ to, icon, reloadDocument, children }: MenuLinkProps) {
  const link = (
    <Link to={to} reloadDocument={reloadDocument} preventScrollReset className={ROW}>
      {icon}
      {children}
    </Link>
  );
  return useContext(Upgraded) ? <HeadlessItem>{link}</HeadlessItem> : link;
}

interface MenuSubmitProps {
  action: string;
  /** Fields of the post. */
  values?: Record<string, string>;
  icon?: ReactNode;
  /** Marks the choice that stands, in a group of choices. */
  checked?: boolean;
  reloadDocument?: boolean;
  children: ReactNode;
}

/** A menu entry that changes something: a form of its own. */
export function MenuSubmit({ action, values, icon, checked, reloadDocument, children }: MenuSubmitProps) {
  const button = (
    <button type="submit" aria-current={checked ? "true" : undefined} className={ROW}>
      {icon}
      {children}
    </button>
  );
  const upgraded = useContext(Upgraded);
  return (
    <Form
      method="post"
      action={action}
      reloadDocument={reloadDocument}
      preventScrollReset
      role={upgraded ? "none" : undefined}
    >
      {Object.entries(values ?? {}).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {upgraded ? <HeadlessItem>{button}</HeadlessItem> : button}
    </Form>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <p role="presentation" className="px-2 pt-2 pb-1 font-medium text-muted text-xs">
      {children}
    </p>
  );
}

export function MenuSeparator() {
  return <div role="presentation" className="-mx-1 my-1 border-line border-t" />;
}
