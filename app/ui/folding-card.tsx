import { useLocation } from "@remix-run/react";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";

interface FoldingCardProps {
  id: string;
  title: string;
  /** What is inside, shown while it is closed. */
  summary: string;
  isOpen: boolean;
  children: ReactNode;
}

/** A card that its title opens and closes; fields inside a closed one are posted, too. */
export function FoldingCard({ id, title, summary, isOpen, children }: FoldingCardProps) {
  const { hash } = useLocation();
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (hash !== `#${id}` || !details.current) return;
    details.current.open = true;
    details.current.scrollIntoView();
  }, [hash, id]);
  return (
    <section className="min-w-0 glass-surface rounded-lg border border-line shadow-card">
      <details ref={details} open={isOpen} className="group/fold scroll-mt-20">
        <summary className="flex min-h-11 items-center gap-3 rounded-lg px-4 py-3 hover:bg-hover">
          <ChevronRight
            aria-hidden="true"
            className="size-4 shrink-0 text-muted transition-transform group-open/fold:rotate-90"
          />
          <h2 className="shrink-0 text-sm">{title}</h2>
          <span aria-hidden="true" className="min-w-0 truncate text-muted text-xs group-open/fold:hidden">
            {summary}
          </span>
        </summary>
        {/* The address names what is inside: browsers open what folds it, without a script as well. */}
        <div id={id} className="scroll-mt-32 px-4 pt-1 pb-4">
          {children}
        </div>
      </details>
    </section>
  );
}
