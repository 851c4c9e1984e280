import type { ScoreParts as Parts } from "~/work/search/search.schema";

export function ScoreParts({ score, parts }: { score: number; parts: Parts }) {
  const from = [
    parts.keyword && { name: "Keywords", text: `#${parts.keyword.rank}` },
    parts.vector && {
      name: "Vectors",
      text: `#${parts.vector.rank}, similarity ${parts.vector.similarity.toFixed(2)}`,
    },
    parts.rerank && { name: "Reranked", text: `#${parts.rerank.rank}, ${parts.rerank.score.toFixed(2)}` },
  ].filter((part) => part !== null);
  return (
    <dl className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-muted text-xs">
      <div className="flex items-center gap-1.5">
        <dt className="sr-only">Score</dt>
        <dd className="flex items-center gap-1.5 font-medium text-ink">
          <span data-bar="" aria-hidden="true" className="h-1 w-10 overflow-hidden rounded-full bg-active">
            <span
              className="block h-full rounded-full bg-primary-ink"
              style={{ width: `${Math.round(Math.min(1, Math.max(0, score)) * 100)}%` }}
            />
          </span>
          {score.toFixed(2)}
        </dd>
      </div>
      {from.map(({ name, text }) => (
        <div key={name} className="flex gap-1">
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
