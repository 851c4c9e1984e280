import { TriangleAlert } from "lucide-react";
import { Badge, type Tone } from "~/ui/badge";
import { Checkbox } from "~/ui/choice";
import type { DifferenceLine, McpToolState } from "../mcp/mcp.schema";

const STATES: Record<McpToolState["state"], { label: string; tone: Tone }> = {
  new: { label: "New", tone: "info" },
  allowed: { label: "Allowed", tone: "success" },
  denied: { label: "Denied", tone: "neutral" },
  changed: { label: "Changed", tone: "warning" },
};

/** With its changes since approval. */
export function ToolChoice({ tool }: { tool: McpToolState }) {
  const { label, tone } = STATES[tool.state];
  return (
    <>
      <Checkbox
        name="allowed"
        value={`${tool.name}#${tool.hash}`}
        defaultChecked={tool.state === "allowed"}
        label={
          <span className="flex flex-wrap items-center gap-2">
            <span className="break-all font-mono">{tool.name}</span>
            <Badge tone={tone}>{label}</Badge>
          </span>
        }
        hint={<span className="whitespace-pre-line break-words">{tool.description || "No description"}</span>}
      />
      {tool.warnings.length > 0 && (
        <p className="mb-1 ml-6.5 flex items-start gap-1.5 text-warning-ink text-xs">
          <TriangleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
          Possible instructions to a model: {tool.warnings.join(", ").toLowerCase()}.
        </p>
      )}
      {tool.changes && (
        <div className="mb-1 ml-6.5 flex flex-col gap-2">
          <Difference label={`Changes of the description of ${tool.name}`} lines={tool.changes.description} />
          <Difference
            label={`Changes of the input schema of ${tool.name}`}
            lines={tool.changes.schema}
            mono
          />
        </div>
      )}
      <details className="ml-6.5 text-xs">
        <summary className="disclosure inline-flex min-h-8 cursor-pointer items-center text-muted hover:text-ink pointer-coarse:min-h-11">
          Input schema of {tool.name}
        </summary>
        <pre className="mt-1 whitespace-pre-wrap break-words rounded-md border border-line bg-sunken p-2 font-mono">
          {JSON.stringify(tool.inputSchema, null, 2)}
        </pre>
      </details>
    </>
  );
}

const MARKS: Record<DifferenceLine["kind"], { sign: string; word: string; colours: string }> = {
  same: { sign: " ", word: "", colours: "" },
  added: { sign: "+", word: "Added: ", colours: "bg-success-soft text-success-ink" },
  removed: { sign: "−", word: "Removed: ", colours: "bg-danger-soft text-danger-ink" },
  gap: { sign: "…", word: "", colours: "text-muted" },
};

function Difference({ label, lines, mono }: { label: string; lines: DifferenceLine[]; mono?: boolean }) {
  if (lines.length === 0) return null;
  return (
    <ol
      aria-label={label}
      className={`overflow-hidden rounded-md border border-line text-xs ${mono ? "font-mono" : ""}`}
    >
      {lines.map(({ kind, text }, index) => {
        const { sign, word, colours } = MARKS[kind];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never move.
          <li key={index} className={`flex gap-2 px-2 py-0.5 ${colours}`}>
            <span aria-hidden="true" className="w-3 shrink-0 font-mono">
              {sign}
            </span>
            <span className="min-w-0 whitespace-pre-wrap break-words">
              {word && <span className="sr-only">{word}</span>}
              {kind === "gap" ? <span className="sr-only">Lines without changes</span> : text}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
