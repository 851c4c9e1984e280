import { Star } from "lucide-react";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";

export function Stars({ rating, ratings }: { rating: number | null; ratings: number }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1 text-muted text-xs">
      <span
        className="inline-flex"
        {...(rating === null
          ? { "aria-hidden": true }
          : { role: "img", "aria-label": `${rating} of 5 stars` })}
      >
        {[1, 2, 3, 4, 5].map((star) => (
          <Star
            key={star}
            aria-hidden="true"
            className={cx(
              "size-3.5",
              star <= Math.round(rating ?? 0) ? "fill-warning text-warning-ink" : "text-edge",
            )}
          />
        ))}
      </span>
      {rating === null ? (
        <span>Not rated yet</span>
      ) : (
        <span>
          {rating.toFixed(1)} <span className="sr-only">from</span> ({countOf(ratings, "rating")})
        </span>
      )}
    </span>
  );
}
