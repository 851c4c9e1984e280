import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./class-names";

type Kind = "info" | "success" | "warning" | "danger";

const VARIANTS = {
  info: { icon: Info, colours: "border-info/30 bg-info-soft [&>svg]:text-info-ink" },
  success: { icon: CircleCheck, colours: "border-success/30 bg-success-soft [&>svg]:text-success-ink" },
  warning: { icon: TriangleAlert, colours: "border-warning/30 bg-warning-soft [&>svg]:text-warning-ink" },
  danger: { icon: CircleAlert, colours: "border-danger/30 bg-danger-soft [&>svg]:text-danger-ink" },
} as const;

interface NoticeProps {
  kind?: Kind;
  title?: ReactNode;
  className?: string;
  children?: ReactNode;
}

export function Notice({ kind = "info", title, className, children }: NoticeProps) {
  const { icon: Icon, colours } = VARIANTS[kind];
  return (
    <div
      role={kind === "danger" ? "alert" : undefined}
      className={cx("flex gap-2.5 rounded-md border px-3 py-2.5 text-ink", colours, className)}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0">
        {title != null && <p className="font-medium">{title}</p>}
        {children != null && <div className="text-pretty">{children}</div>}
      </div>
    </div>
  );
}
