import { Link } from "@remix-run/react";
import { type ComponentPropsWithRef, forwardRef, type ReactNode } from "react";
import { cx } from "./class-names";
import { type RowAction, RowActions } from "./row-actions";
import { RowCheckbox } from "./row-selection";

type RowProps = Omit<ComponentPropsWithRef<"li">, "title" | "children"> & {
  name: string;
  title?: ReactNode;
  to?: string | undefined;
  icon?: ReactNode;
  badges?: ReactNode;
  meta?: ReactNode;
  state?: ReactNode;
  aside?: ReactNode;
  /** In order of importance: the first two are on the row, the others in its menu. */
  actions?: readonly RowAction[];
  handle?: ReactNode;
  select?: string;
  details?: ReactNode;
};

export const Row = forwardRef<HTMLLIElement, RowProps>(function Row(
  { name, title, to, icon, badges, meta, state, aside, actions, handle, select, details, className, ...rest },
  ref,
) {
  return (
    <li
      ref={ref}
      data-row
      className={cx(
        "relative flex min-h-11 min-w-0 gap-3 border-line bg-surface px-4 py-2 not-last:border-b first:rounded-t-[inherit] last:rounded-b-[inherit] hover:bg-[color-mix(in_oklab,var(--color-surface),var(--ink)_4%)] has-[[data-select]:checked]:bg-primary-soft",
        details ? "flex-wrap items-start gap-y-0.5" : "items-center",
        className,
      )}
      {...rest}
    >
      {handle && <span className="row-handle flex shrink-0">{handle}</span>}
      {icon ? (
        <span data-lead className="relative flex shrink-0 items-center gap-3">
          {select !== undefined && <RowCheckbox value={select} name={name} />}
          <span className="row-icon grid size-8 shrink-0 place-items-center text-muted [&_svg]:size-4">
            {icon}
          </span>
        </span>
      ) : (
        select !== undefined && <RowCheckbox value={select} name={name} />
      )}
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 items-center gap-x-2 max-sm:flex-wrap">
          <Name name={name} to={to}>
            {title ?? name}
          </Name>
          {badges && <span className="flex shrink-0 items-center gap-1">{badges}</span>}
        </div>
        {meta && (
          <p className="wrap-anywhere line-clamp-2 text-muted text-xs sm:line-clamp-1 sm:break-all">{meta}</p>
        )}
      </div>
      {/* Read before the actions, and drawn below the row. */}
      {details && (
        <div className={cx("order-1 min-w-0 basis-full", icon ? "sm:pl-11" : undefined)}>{details}</div>
      )}
      {state && <span className="flex shrink-0 items-center gap-2">{state}</span>}
      {aside && <div className="row-over flex shrink-0 items-center gap-2">{aside}</div>}
      {actions && actions.length > 0 && <RowActions name={name} actions={actions} />}
    </li>
  );
});

function Name({ name, to, children }: { name: string; to: string | undefined; children: ReactNode }) {
  // Two lines on a phone, where names that begin alike would otherwise read the same.
  const nameClasses = "wrap-anywhere line-clamp-2 min-w-0 text-left font-medium sm:line-clamp-1 sm:break-all";
  return to === undefined ? (
    <span dir="auto" title={name} className={nameClasses}>
      {children}
    </span>
  ) : (
    <Link
      to={to}
      dir="auto"
      title={name}
      className={cx(
        nameClasses,
        "after:absolute after:inset-0 after:rounded-[inherit] focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus focus-visible:after:outline-offset-[-2px]",
      )}
    >
      {children}
    </Link>
  );
}
