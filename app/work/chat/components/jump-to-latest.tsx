import { ArrowDown } from "lucide-react";
import { IconButton } from "~/ui/button";
import type { FollowedEnd } from "./use-follow-end";

interface JumpToLatestProps {
  end: FollowedEnd;
  /** Called after the jump, to move the focus to what is shown. */
  onJump: () => void;
}

/** A button above its positioned parent that scrolls to the end. */
export function JumpToLatest({ end: { away, unseen, toEnd }, onJump }: JumpToLatestProps) {
  if (!away) return null;
  return (
    <span className="absolute bottom-full left-1/2 mb-3 -translate-x-1/2 print:hidden">
      <IconButton
        type="button"
        label={unseen ? "Jump to latest (new content)" : "Jump to latest"}
        icon={<ArrowDown />}
        variant="secondary"
        className="rounded-full! shadow-float"
        onClick={() => {
          toEnd();
          onJump();
        }}
      />
      {unseen && (
        <span
          aria-hidden="true"
          className="absolute top-0 right-0 size-2.5 rounded-full border-2 border-surface bg-primary-ink"
        />
      )}
    </span>
  );
}
