import type { LucideProps } from "lucide-react";
import { withBase } from "~/core/base-path";

/** Replaces the package's component (scripts/icon-sprite.mjs). */
export function spriteIcon(file: string, id: string) {
  const href = () => `${withBase(file)}#${id}`;
  return function Icon({ size = 24, strokeWidth = 2, "aria-label": label, className }: LucideProps) {
    return (
      // biome-ignore lint/a11y/noSvgWithoutTitle: hidden, or named by its label
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={strokeWidth}
        strokeLinecap="round"
        strokeLinejoin="round"
        className={className}
        {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      >
        <use href={href()} />
      </svg>
    );
  };
}
