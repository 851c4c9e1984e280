import { withBase } from "~/core/base-path";
import { cx } from "./class-names";

interface AvatarProps {
  name: string;
  /** Only if hosted here: nothing is loaded from other hosts. */
  src?: string | null;
  size?: "sm" | "md" | "lg";
}

const SIZES = { sm: "size-7 text-xs", md: "size-8 text-xs", lg: "size-14 text-lg" };

export function initials(name: string): string {
  const words = name
    .trim()
    .replace(/(?<=.)@.*$/u, "")
    .split(/[\s._-]+/u)
    // Of "Reviewer (sample)" the letter, not the bracket.
    .map((word) => word.replace(/^[^\p{L}\p{N}\p{Emoji_Presentation}]+/u, ""))
    .filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? "")][0] ?? "",
  );
  return letters.join("").toLocaleUpperCase("en-US") || "?";
}

/** Decorative: the name is beside it. */
export function Avatar({ name, src, size = "md" }: AvatarProps) {
  const localSrc = src?.startsWith("/") && !src.startsWith("//") ? src : undefined;
  return (
    <span
      aria-hidden="true"
      className={cx(
        "grid shrink-0 place-items-center overflow-hidden rounded-full bg-primary-soft font-semibold text-primary-ink",
        SIZES[size],
      )}
    >
      {localSrc ? <img src={withBase(localSrc)} alt="" className="size-full object-cover" /> : initials(name)}
    </span>
  );
}
