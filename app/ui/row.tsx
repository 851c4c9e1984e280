import { Link } from "@remix-run/react";
import { type ComponentPropsWithRef, forwardRef, type ReactNode } from "react";
import { cx } from "./class-names";
import { type RowAction, RowActions } from "./row-actions";
import { RowCheckbox } from "./row-selection";

type RowProps = Omit<ComponentPropsWithRef<"li">, "title" | "children"> & {
  /** The thing's name as plain text: names its controls, and is its tooltip where it is cut off. */
  name: string;
  /** What is shown in place of `name`, such as marks in it. */
  title?: ReactNode;
  /** Where the name leads; the whole row is the target then. */
  to?: string | undefined;
  icon?: ReactNode;
  /** Short badges beside the name. */
  badges?: ReactNode;
  /** The line below the name. */
  meta?: ReactNode;
  /** The thing's state, where it isn't the usual one. */
  state?: ReactNode;
  /** What always is at the row's end, such as a figure or a choice. */
  aside?: ReactNode;
  /** In the order of use: the first two stand on the row, the others in its menu. */
  actions?: readonly RowAction[];
  /** What the row is moved by; shown like its actions. */
  handle?: ReactNode;
  /** The value of the row's checkbox; none without it. */
  select?: string;
  /** Further lines, such as an error. */
  details?: ReactNode;
};

/**
 * One thing of a list: text until it is pointed at. Its actions show on hover and focus, and always where there is no
 * pointer that hovers. Everything in it is a link, a form or `<details>`.
 */
export const Row = forwardRef<HTMLLIElement, RowProps>(function Row(
  { name, title, to, icon, badges, meta, state, aside, actions, handle, select, details, className, ...rest },
  ref,
) {
  return (
    <li
      ref={ref}
      data-row
      className={cx(
        "relative flex min-h-11 min-w-0 items-center gap-3 border-line bg-surface px-4 py-2 not-last:border-b first:rounded-t-[inherit] last:rounded-b-[inherit] hover:bg-[color-mix(in_oklab,var(--color-surface),var(--ink)_4%)] has-[[data-select]:checked]:bg-primary-soft",
        className,
      )}
      {...rest}
    >
      {handle && <span className="row-control -mx-2 flex shrink-0">{handle}</span>}
      {select !== undefined && <RowCheckbox value={select} name={name} />}
      {icon && (
        <span className="grid size-8 shrink-0 place-items-center text-muted [&_svg]:size-4">{icon}</span>
      )}
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-2">
          <Name name={name} to={to}>
            {title ?? name}
          </Name>
          {badges && <span className="flex shrink-0 items-center gap-1">{badges}</span>}
        </div>
        {meta && <p className="truncate text-muted text-xs">{meta}</p>}
        {details}
      </div>
      {state && <span className="flex shrink-0 items-center gap-2">{state}</span>}
      {aside && <div className="row-over flex shrink-0 items-center gap-2">{aside}</div>}
      {actions && actions.length > 0 && <RowActions name={name} actions={actions} />}
    </li>
  );
});

function Name({ name, to, children }: { name: string; to: string | undefined; children: ReactNode }) {
  const look = "min-w-0 truncate font-medium";
  return to === undefined ? (
    <span title={name} className={look}>
      {children}
    </span>
  ) : (
    // The ring goes round the row, as its target does.
    <Link
      to={to}
      title={name}
      className={cx(
        look,
        "after:absolute after:inset-0 after:rounded-[inherit] focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-[-2px]",
      )}
    >
      {children}
    </Link>
  );
}
