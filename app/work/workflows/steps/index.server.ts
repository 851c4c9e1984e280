import { contributedStepTypes } from "../contributed/contributed-steps.service.server";
import { aiAnalysis } from "./ai-analysis.step.server";
import { aiCompletion } from "./ai-completion.step.server";
import { approval } from "./approval.step.server";
import { callWorkflow } from "./call-workflow.step.server";
import { code } from "./code.step.server";
import { condition } from "./condition.step.server";
import { databaseQuery } from "./database-query.step.server";
import { delay } from "./delay.step.server";
import { each } from "./each.step.server";
import { httpRequest } from "./http-request.step.server";
import { ingestDocument } from "./ingest-document.step.server";
import { log } from "./log.step.server";
import { parallel } from "./parallel.step.server";
import { returnValue } from "./return.step.server";
import { runTool } from "./run-tool.step.server";
import { searchDocuments } from "./search-documents.step.server";
import { sendEmail } from "./send-email.step.server";
import type { StepType } from "./step-type";
import { whileStep } from "./while.step.server";

/** In the palette's order. */
export const stepTypes = [
  aiCompletion,
  aiAnalysis,
  databaseQuery,
  sendEmail,
  httpRequest,
  condition,
  log,
  returnValue,
  code,
  searchDocuments,
  ingestDocument,
  runTool,
  callWorkflow,
  delay,
  each,
  whileStep,
  parallel,
  approval,
] as const satisfies readonly StepType[];

/** Built in or a plugin's. */
export const findStepType = (type: string): StepType | undefined =>
  stepTypes.find((one) => one.type === type) ??
  contributedStepTypes().find((contributed) => contributed.type === type);
