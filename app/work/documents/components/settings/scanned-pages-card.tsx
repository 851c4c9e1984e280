import { Form, useNavigation } from "@remix-run/react";
import type { FieldSpec } from "~/core/field.schema";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Notice } from "~/ui/notice";
import type { ReadingTest, RecognitionSettings } from "~/work/extraction/recognition/reading-server.schema";

export interface RecognitionForm {
  values: RecognitionSettings;
  fields: Readonly<Record<string, FieldSpec>>;
  /** Where pages are sent; null if nowhere. */
  server: { name: string; origin: string } | null;
  /** That the built-in reader has data for, by Tesseract's names. */
  languages: string[];
}

interface ScannedPagesCardProps {
  form: RecognitionForm;
  tested: ReadingTest | undefined;
  changeTo: string;
}

function optionLabel(spec: FieldSpec | undefined, value: string): string {
  const options = spec?.control.kind === "select" ? spec.control.options : [];
  return options.find((option) => option.value === value)?.label ?? value;
}

export function ScannedPagesCard({ form, tested, changeTo }: ScannedPagesCardProps) {
  const { values, fields, server, languages } = form;
  const navigation = useNavigation();
  const facts: [label: string, value: string][] = [
    ["Reader", optionLabel(fields.reader, values.reader)],
    ...(values.reader === "builtin"
      ? ([["Languages", languages.join(", ") || "None: run npm run install:ocr -- eng"]] satisfies [
          string,
          string,
        ][])
      : []),
    ...(server
      ? ([
          ["Sent to", server.origin],
          ["Key", optionLabel(fields.keyId, values.keyId)],
        ] satisfies [string, string][])
      : []),
    ...(values.reader === "mistral" ? ([["Model", values.model]] satisfies [string, string][]) : []),
  ];
  return (
    <Card
      id="scanned-pages"
      title="Scanned Pages"
      description="What reads pages of PDFs that are pictures without text"
    >
      <div className="flex flex-col gap-4">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-md bg-sunken px-3 py-2.5">
          {facts.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
        {server && (
          <p className="text-muted text-xs">
            {`Pictures of scanned pages are sent to ${server.name}, of restricted documents too, as an admin allowed.`}
          </p>
        )}
        {tested && (
          <div role="status">
            <Notice kind={tested.ok ? "success" : "danger"} title={tested.message}>
              {tested.text ? `Text: "${tested.text}"` : null}
            </Notice>
          </div>
        )}
        <div className="flex flex-wrap gap-2">
          <LinkButton to={changeTo} preventScrollReset>
            Change<span className="sr-only"> what reads scanned pages</span>
          </LinkButton>
          {server && (
            <Form method="post" preventScrollReset>
              <Button
                name="intent"
                value="test-recognition"
                pending={navigation.formData?.get("intent") === "test-recognition"}
              >
                Test<span className="sr-only"> {server.name}</span>
              </Button>
            </Form>
          )}
        </div>
      </div>
    </Card>
  );
}
