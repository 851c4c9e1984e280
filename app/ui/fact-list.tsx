import type { ReactNode } from "react";

export type Facts = readonly (readonly [label: string, value: ReactNode])[];

/** Labels with their values; one without a value is left out. */
export function FactList({ facts }: { facts: Facts }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-2">
      {facts
        .filter(([, value]) => value != null && value !== false && value !== "")
        .map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
