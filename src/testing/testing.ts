/** Tools for testing stores and models. They are published as `worldline/testing`. */
export { type DiskOperation, FailingDisk, type Fault, type Faults } from "./disk/failing-disk.ts";
export type { Survival } from "./disk/simulated-disk.ts";
export { SimulatedDisk, systemError } from "./disk/simulated-disk.ts";
export { type ExecutionContractOptions, executionContract } from "./executions/execution-contract.ts";
export { type Hindrance, hinderedStore } from "./hindered-store.ts";
export { type LogStoreContractOptions, logStoreContract } from "./log-store/log-store-contract.ts";
export type {
  LogStoreSubject,
  /** @deprecated Use `SkippedContracts`. */
  SkippedContracts as NotHere,
  SkippedContracts,
} from "./log-store/subject.ts";
export { rejectsWith } from "./log-store/subject.ts";
export { modelContract } from "./model-contract.ts";
export type { ModelServerOptions } from "./model-server/model-server.ts";
export { type ModelServer, openModelServer } from "./model-server/model-server.ts";
export {
  type Misbehaviour,
  type NormalCall,
  type NormalMessage,
  type NormalResult,
  type ReceivedRequest,
  type Responder,
  type ScriptedCall,
  type ScriptedReply,
  scripted,
  type TokenCounts,
  type Wire,
} from "./model-server/script.ts";
export { ManualClock, SimulatedProcesses } from "./simulated-system.ts";
export { Story, sessionNumber } from "./story.ts";
export { inTempFolder, type TempFolder, tempFolder } from "./temp-folder.ts";
export type { WorkspaceFilesSubject } from "./workspace-files/subject.ts";
export {
  type WorkspaceFilesContractOptions,
  workspaceFilesContract,
} from "./workspace-files/workspace-files-contract.ts";
