import { Link } from "@remix-run/react";
import { Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { IconLink } from "~/ui/button";
import { RelativeTime } from "~/ui/time";
import type { ComparisonSummary } from "../comparisons.schema";

interface Props {
  comparisons: readonly ComparisonSummary[];
  names: Readonly<Record<string, string>>;
  deleteTo: (id: string) => string;
}

export function ComparisonList({ comparisons, names, deleteTo }: Props) {
  return (
    <ul className="flex flex-col divide-y divide-line">
      {comparisons.map(({ id, title, models, running, createdAt }) => (
        <li key={id} className="flex items-center gap-2 py-2.5 first:pt-0 last:pb-0">
          <div className="min-w-0 flex-1">
            <p className="flex items-center gap-2">
              <Link to={`/compare/${id}`} className="min-w-0 truncate py-1 font-medium hover:underline">
                {title}
              </Link>
              {running && <Badge tone="info">Writing…</Badge>}
            </p>
            <p className="wrap-anywhere text-muted text-xs">
              {models.map((id) => names[id] ?? id).join(" · ")} ·{" "}
              <RelativeTime at={createdAt} style="short" className="whitespace-nowrap" />
            </p>
          </div>
          <IconLink to={deleteTo(id)} preventScrollReset label={`Delete ${title}`} icon={<Trash2 />} />
        </li>
      ))}
    </ul>
  );
}
