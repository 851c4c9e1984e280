import { Form, useNavigation } from "@remix-run/react";
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

type ListedTool = Pick<ToolInfo, "name" | "title" | "effect" | "policy" | "isDefaultPolicy">;

/** @param forms the tools of each form, since a form takes a limited number */
export function ToolsCard({ forms }: { forms: ListedTool[][] }) {
  return (
    <Card
      id="tools"
      title="Tools"
      description="Choose when each tool can run. By default, a tool that writes or sends data outside runs when it is selected for a message, and asks once the conversation contains content from outside. Unattended calls that need approval are refused."
    >
      <div className="flex flex-col gap-4">
        {forms.map((tools) => (
          <ToolsForm key={tools[0]?.name} tools={tools} />
        ))}
      </div>
    </Card>
  );
}

function ToolsForm({ tools }: { tools: ListedTool[] }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "set-tool-policies";
  const shown = tools.map(({ policy, isDefaultPolicy }) => (isDefaultPolicy ? "default" : policy));
  return (
    <Form key={shown.join(" ")} method="post" preventScrollReset>
      <ul className="flex flex-col">
        {tools.map(({ name, title, effect }, index) => (
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
            <input type="hidden" name={`tools[${index}].name`} value={name} />
            <input type="hidden" name={`tools[${index}].shown`} value={shown[index]} />
            <Select
              name={`tools[${index}].policy`}
              className="w-70 max-w-full"
              defaultValue={shown[index]}
              aria-label={`When ${name} runs`}
            >
              <option value="default">{DEFAULT_LABELS[effect]}</option>
              <GroupedOptions options={POLICY_OPTIONS} />
            </Select>
          </li>
        ))}
      </ul>
      <Button variant="primary" className="mt-2" name="intent" value="set-tool-policies" pending={pending}>
        {pending ? "Saving..." : "Save Tools"}
      </Button>
    </Form>
  );
}
