import type { Result } from "~/ui/form-result";
import type { Reader } from "../../documents/document-view.schema";

export interface IngestFormProps {
  categories: readonly string[];
  colleagues: readonly Reader[];
  closeTo: string;
  sent: Record<string, unknown>;
  errors: Record<string, string[]>;
  result: Result;
}
