import type { ReactNode } from "react";
import { cx } from "./class-names";

interface CardProps {
  id?: string;
  title?: ReactNode;
  description?: ReactNode;
  icon?: ReactNode;
  actions?: ReactNode;
  footer?: ReactNode;
  className?: string;
  children?: ReactNode;
}

export function Card({ id, title, description, icon, actions, footer, className, children }: CardProps) {
  return (
    <section
      id={id}
      className={cx(
        "flex min-w-0 scroll-mt-20 flex-col glass-surface rounded-lg border border-line shadow-card",
        className,
      )}
    >
      {(title != null || actions != null) && (
        <header
          className={cx("flex flex-wrap items-start gap-x-3 gap-y-2 px-4 pt-4", children == null && "pb-4")}
        >
          {icon && <span className="mt-0.5 text-muted [&_svg]:size-4">{icon}</span>}
          <div className="min-w-0 grow basis-32">
            {title != null && <h2 className="text-sm">{title}</h2>}
            {description != null && <p className="mt-0.5 text-muted text-xs">{description}</p>}
          </div>
          {actions}
        </header>
      )}
      {children != null && <div className="min-w-0 flex-1 p-4">{children}</div>}
      {footer && (
        <footer className="flex flex-wrap items-center gap-2 border-line border-t px-4 py-3">{footer}</footer>
      )}
    </section>
  );
}
