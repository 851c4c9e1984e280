import type { ReactNode } from "react";
import { cx } from "./class-names";

export type Tone = "neutral" | "primary" | "secondary" | "success" | "warning" | "danger" | "info";

const TONES: Record<Tone, string> = {
  neutral: "bg-active text-ink",
  primary: "bg-primary-soft text-primary-ink",
  secondary: "bg-secondary-soft text-secondary-ink",
  success: "bg-success-soft text-success-ink",
  warning: "bg-warning-soft text-warning-ink",
  danger: "bg-danger-soft text-danger-ink",
  info: "bg-info-soft text-info-ink",
};

interface BadgeProps {
  tone?: Tone;
  icon?: ReactNode;
  mono?: boolean;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone = "neutral", icon, mono, className, children }: BadgeProps) {
  return (
    <span
      className={cx(
        "inline-flex max-w-full items-center gap-1 rounded-sm px-1.5 py-0.5 font-medium text-xs [&_svg]:size-3 [&_svg]:shrink-0",
        mono && "font-mono",
        TONES[tone],
        className,
      )}
    >
      {icon}
      <span className="truncate">{children}</span>
    </span>
  );
}

const DOTS: Record<Tone, string> = {
  neutral: "bg-edge",
  primary: "bg-primary",
  secondary: "bg-secondary",
  success: "bg-success",
  warning: "bg-warning",
  danger: "bg-danger",
  info: "bg-info",
};

export function StatusDot({ tone, className }: { tone: Tone; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx("inline-block size-2 shrink-0 rounded-full forced-colors:border", DOTS[tone], className)}
    />
  );
}

export function Sample() {
  return <Badge className="border border-line">Sample</Badge>;
}
