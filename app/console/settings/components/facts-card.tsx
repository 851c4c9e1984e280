import type { ReactNode } from "react";
import { Card } from "~/ui/card";

interface FactsCardProps {
  title: string;
  description: ReactNode;
  facts: readonly (readonly [name: string, value: ReactNode])[];
}

export function FactsCard({ title, description, facts }: FactsCardProps) {
  return (
    <Card title={title} description={description}>
      <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-6 gap-y-2 sm:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)]">
        {facts.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
