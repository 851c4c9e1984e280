import { Form } from "@remix-run/react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { GroupedOptions, Select } from "~/ui/input";
import { EFFECT_LABELS, type Effect } from "../effects.shared";
import type { ToolInfo, ToolPolicy } from "../tools.schema";

const POLICY_OPTIONS: { value: ToolPolicy; label: string }[] = [
  { value: "always", label: "Always run" },
  { value: "ask", label: "Ask before each call" },
  { value: "never", label: "Never run" },
];
const DEFAULT_LABELS: Record<Effect, string> = {
  reads: "Default: always run",
  writes: "Default: ask after outside content",
  outside: "Default: ask after outside content",
};

interface ToolsCardProps {
  tools: Pick<ToolInfo, "name" | "title" | "effect" | "policy" | "isDefaultPolicy">[];
}

export function ToolsCard({ tools }: ToolsCardProps) {
  return (
    <Card
      id="tools"
      title="Tools"
      description="Choose when each tool can run. By default, a tool that writes or sends data outside runs when it is selected for a message, and asks once the conversation contains content from outside. Unattended calls that need approval are refused."
    >
      <ul className="flex flex-col">
        {tools.map(({ name, title, effect, policy, isDefaultPolicy }) => (
          <li
            key={name}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line py-3 not-last:border-b"
          >
            <div className="min-w-0 flex-[1_1_14rem]">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-mono text-sm">{name}</span>
                <Badge>{EFFECT_LABELS[effect]}</Badge>
              </p>
              <p className="text-muted text-xs">{title}</p>
            </div>
            <Form
              method="post"
              preventScrollReset
              className="flex max-w-full items-center gap-1 sm:gap-2"
              key={`${policy} ${isDefaultPolicy}`}
            >
              <input type="hidden" name="name" value={name} />
              <Select
                name="policy"
                className="w-70"
                defaultValue={isDefaultPolicy ? "default" : policy}
                aria-label={`When ${name} runs`}
              >
                <option value="default">{DEFAULT_LABELS[effect]}</option>
                <GroupedOptions options={POLICY_OPTIONS} />
              </Select>
              <Button size="sm" name="intent" value="set-tool-policy" aria-label={`Save ${name}`}>
                Save
              </Button>
            </Form>
          </li>
        ))}
      </ul>
    </Card>
  );
}
