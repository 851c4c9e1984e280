import { Star } from "lucide-react";
import { cx } from "~/ui/class-names";
import { countOf } from "~/ui/format";

/** A rating as five stars; unrated ones say so. */
export function Stars({ rating, ratings }: { rating: number | null; ratings: number }) {
  if (rating === null) return <span className="text-muted text-xs">Not rated yet</span>;
  return (
    <span className="inline-flex items-center gap-1 text-muted text-xs">
      <span className="inline-flex" role="img" aria-label={`${rating} of 5 stars`}>
        {[1, 2, 3, 4, 5].map((star) => (
          <Star
            key={star}
            aria-hidden="true"
            className={cx(
              "size-3.5",
              star <= Math.round(rating) ? "fill-warning text-warning-ink" : "text-edge",
            )}
          />
        ))}
      </span>
      <span>
        {rating.toFixed(1)} <span className="sr-only">from</span> ({countOf(ratings, "rating")})
      </span>
    </span>
  );
}
