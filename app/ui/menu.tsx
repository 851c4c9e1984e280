import { Form, Link } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "./class-names";
import { HiddenFields } from "./input";

interface MenuProps {
  label?: string;
  button: ReactNode;
  buttonClassName?: string;
  side?: "top" | "bottom";
  align?: "start" | "end";
  children: ReactNode;
}

export const MENU_ROW =
  "flex min-h-8 w-full items-center gap-2.5 rounded-sm px-2 py-1 text-left text-ink hover:bg-hover focus-visible:outline-offset-[-2px] pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";

/** Links and forms in `<details>`, with arrow keys and Escape added; Headless UI's menu is 33 kB. */
export function Menu({
  label,
  button,
  buttonClassName,
  side = "bottom",
  align = "end",
  children,
}: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => (details.current ? addKeyboardControl(details.current) : undefined), []);
  return (
    <details ref={details} className="relative">
      <summary aria-label={label} className={buttonClassName}>
        {button}
      </summary>
      <div
        className={cx(
          "enter absolute z-40 min-w-[max(100%,13rem)] rounded-lg bg-raised p-1 shadow-float",
          side === "top" ? "bottom-full mb-1.5" : "top-full mt-1.5",
          align === "end" ? "right-0" : "left-0",
        )}
      >
        {children}
      </div>
    </details>
  );
}

/** Moves the focus to the next row shown, or the one before; from the last to the first. */
export function stepThrough(menu: Element, by: 1 | -1): void {
  // Rows of quick actions are hidden where those have room.
  const rows = [...menu.querySelectorAll<HTMLElement>("a[href], button")].filter(
    (row) => row.getClientRects().length > 0,
  );
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows.at(at < 0 && by < 0 ? -1 : (at + by) % rows.length)?.focus();
}

function addKeyboardControl(details: HTMLDetailsElement): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const summary = details.querySelector("summary");
  const close = () => {
    details.open = false;
  };
  // Returns the focus to the button, as the chosen row is hidden.
  const closeAfterChoice = () => {
    const { activeElement } = document;
    const isFocusLost = activeElement === document.body || details.contains(activeElement);
    close();
    if (isFocusLost) summary?.focus({ preventScroll: true });
  };
  details.addEventListener(
    "keydown",
    (event) => {
      if (!details.open) return;
      if (event.key === "Escape") {
        close();
        summary?.focus();
      } else if (event.key === "ArrowDown") stepThrough(details, 1);
      else if (event.key === "ArrowUp") stepThrough(details, -1);
      else return;
      event.preventDefault();
    },
    { signal },
  );
  // Deferred: the form must exist while it is sent.
  details.addEventListener(
    "click",
    ({ target }) => {
      const row = target instanceof Element ? target.closest("a, button") : null;
      if (row) setTimeout(closeAfterChoice);
    },
    { signal },
  );
  document.addEventListener(
    "pointerdown",
    (event) => {
      if (details.open && !(event.target instanceof Node && details.contains(event.target))) close();
    },
    { signal },
  );
  return () => controller.abort();
}

interface MenuLinkProps {
  to: string;
  icon?: ReactNode;
  /** Accessible name where the text is shortened: "Edit Ana". */
  label?: string | undefined;
  reloadDocument?: boolean | undefined;
  children: ReactNode;
}

export function MenuLink({ to, icon, label, reloadDocument, children }: MenuLinkProps) {
  return (
    <Link to={to} preventScrollReset reloadDocument={reloadDocument} aria-label={label} className={MENU_ROW}>
      {icon}
      {children}
    </Link>
  );
}

interface MenuSubmitProps extends Omit<MenuLinkProps, "to"> {
  action?: string | undefined;
  values?: Record<string, string>;
  checked?: boolean;
}

export function MenuSubmit(props: MenuSubmitProps) {
  const { action, values, icon, checked, reloadDocument, label, children } = props;
  return (
    <Form method="post" action={action} reloadDocument={reloadDocument} preventScrollReset>
      <HiddenFields values={values} />
      <button
        type="submit"
        aria-label={label}
        aria-current={checked ? "true" : undefined}
        className={MENU_ROW}
      >
        {icon}
        {children}
      </button>
    </Form>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <p className="px-2 pt-2 pb-1 font-medium text-muted text-xs">{children}</p>;
}

export function MenuSeparator() {
  return <hr className="-mx-1 my-1 border-line border-t" />;
}
