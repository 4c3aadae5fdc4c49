import type { ModelInfo, SessionMode, SessionSetting, SessionState } from '@agenthost/protocol';
import { Check, ChevronDown, ChevronRight, ChevronUp, Circle } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSmall } from '../app/useNarrow.js';
import { CloseButton } from '../controls/CloseButton.js';
import { useKept } from '../controls/useKept.js';
import { ContextRing, contextOf } from '../conversation/header/ContextRing.js';
import { InlineText } from '../conversation/InlineText.js';
import { clock } from '../conversation/times.js';
import { StatusGlyph } from '../glyphs/StatusGlyph.js';
import { Dialog } from '../overlays/Dialog.js';
import type { PlanStep } from './planSteps.js';
import { SettingsRow } from './SettingsRow.js';
import { orderedSettings } from './sessionSettings.js';
import type { Plan } from './usePlan.js';

interface StripProps {
  readonly chat: string;
  readonly state: SessionState | undefined;
  readonly models: readonly ModelInfo[];
  readonly plan: Plan | undefined;
  /** Absent where the role does not allow to choose the agent's settings. */
  readonly onChoose: ((setting: string, value: string) => void) | undefined;
}

/** Above the composer: the agent's plan, its mode and other settings, how full its context is, and the cost. What it does not report is not shown. */
export function Strip(props: StripProps) {
  const { state, models, plan } = props;
  const isSmall = useSmall();
  const facts = {
    mode: state?.summary.mode,
    settings: state ? orderedSettings(state) : [],
    cost: costOf(state),
    hasContext: contextOf(state, models) !== undefined,
  };
  const hasChoices = facts.mode !== undefined || facts.settings.length > 0;
  if (!plan && !hasChoices && facts.cost === undefined && !facts.hasContext) return null;
  return isSmall ? <StripLine {...props} {...facts} /> : <WholeStrip {...props} {...facts} />;
}

interface Facts extends StripProps {
  readonly mode: SessionMode | undefined;
  readonly settings: readonly SessionSetting[];
  readonly cost: number | undefined;
  readonly hasContext: boolean;
}

function WholeStrip({ chat, state, models, plan, onChoose, mode, settings, cost, hasContext }: Facts) {
  const hasChoices = mode !== undefined || settings.length > 0;
  return (
    <section className="strip" aria-label="Agent's plan and usage">
      {plan && <PlanRows key={chat} chat={chat} plan={plan} running={state?.activeTurn !== undefined} />}
      {(hasChoices || cost !== undefined || hasContext) && (
        <div className="strip-row">
          {state && settings.length > 0 ? (
            <SettingsRow state={state} settings={settings} onChoose={onChoose} />
          ) : (
            mode && <Mode mode={mode} />
          )}
          <span className="grow" />
          <ContextRing state={state} models={models} />
          {cost !== undefined && <Cost cost={cost} />}
        </div>
      )}
    </section>
  );
}

/** On a phone, or in a low window: one line, which opens the rest as a sheet. */
function StripLine({ state, models, plan, onChoose, mode, settings, cost, hasContext }: Facts) {
  const [open, setOpen] = useState(false);
  const done = plan?.steps.filter((step) => step.state === 'done').length ?? 0;
  const close = () => setOpen(false);
  return (
    <section className="strip" aria-label="Agent's plan and usage">
      <button type="button" className="strip-row strip-line" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {plan && (
          <>
            <span className="num">
              {done} of {plan.steps.length} <span className="sr">steps of the plan are done</span>
            </span>
            <Bar steps={plan.steps} />
          </>
        )}
        <span className="clip">{mode && (mode.name ?? mode.id)}</span>
        <span className="grow" />
        <ContextRing state={state} models={models} isShort />
        {!hasContext && cost !== undefined && <Cost cost={cost} />}
        <ChevronUp size={14} aria-hidden />
      </button>
      {open && (
        <Dialog label="Plan and usage" className="sheet" onClose={close} focusSelf>
          <div className="sheet-h">
            <h2>{plan ? 'Plan' : 'Usage'}</h2>
            <span className="grow" />
            <CloseButton onClose={close} />
          </div>
          {plan && <PlanSteps plan={plan} running={state?.activeTurn !== undefined} />}
          <dl className="sheet-facts">
            {state && settings.length > 0 && (
              <Fact name="Settings">
                <SettingsRow state={state} settings={settings} onChoose={onChoose} />
              </Fact>
            )}
            {settings.length === 0 && mode && <Fact name="Mode">{mode.name ?? mode.id}</Fact>}
            {hasContext && (
              <Fact name="Context">
                <ContextRing state={state} models={models} />
              </Fact>
            )}
            {cost !== undefined && (
              <Fact name="Cost so far">
                <Cost cost={cost} />
              </Fact>
            )}
            {plan && <Fact name="Plan updated">{clock(plan.updatedAt)}</Fact>}
          </dl>
        </Dialog>
      )}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Cost({ cost }: { readonly cost: number }) {
  return (
    <span className="num" title="What the turns of this session have cost so far, as far as the agent says">
      {money(cost)}
    </span>
  );
}

function Mode({ mode: { id, name } }: { readonly mode: SessionMode }) {
  return (
    <span className="exit" title={`The agent's mode: ${id}`}>
      {name ?? id}
    </span>
  );
}

interface PlanRowsProps {
  readonly chat: string;
  readonly plan: Plan;
  readonly running: boolean;
}

/** Folded: a bar and the current step. Opens by itself only when the first plan arrives while the user looks. */
function PlanRows({ chat, plan, running }: PlanRowsProps) {
  const [open, setOpen] = useKept(`plan ${chat}`, running && Date.now() - plan.updatedAt < 10_000);
  const { steps } = plan;
  const done = steps.filter(({ state }) => state === 'done');
  const current = steps.find(({ state }) => state === 'current');
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <>
      <button type="button" className="strip-row plan-h" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron size={14} aria-hidden />
        <b>Plan</b>
        <span className="num">
          {done.length} of {steps.length} done
        </span>
        <Bar steps={steps} />
        {!open && current && (
          <span className="clip grow">
            <InlineText text={current.text} />
          </span>
        )}
        <span className="grow" />
        <span className="aux num">updated {clock(plan.updatedAt)}</span>
      </button>
      {open && <PlanSteps plan={plan} running={running} />}
    </>
  );
}

/** The done ones are one line. */
function PlanSteps({ plan: { steps }, running }: Pick<PlanRowsProps, 'plan' | 'running'>) {
  const [showsDone, setShowsDone] = useState(false);
  const done = steps.filter(({ state }) => state === 'done');
  return (
    <ol className="plan-steps">
      {done.length > 0 && (
        <li className="done">
          <Check size={14} aria-hidden />
          <button type="button" className="think" aria-expanded={showsDone} onClick={() => setShowsDone(!showsDone)}>
            {done.length} done
            {showsDone ? <ChevronDown size={13} aria-hidden /> : <ChevronRight size={13} aria-hidden />}
          </button>
        </li>
      )}
      {steps
        .filter(({ state }) => state !== 'done' || showsDone)
        .map((step, index) => (
          <li key={index} className={step.state}>
            <StepGlyph step={step} running={running} />
            <span>
              <InlineText text={step.text} />
            </span>
          </li>
        ))}
    </ol>
  );
}

function StepGlyph({ step, running }: { readonly step: PlanStep; readonly running: boolean }) {
  if (step.state === 'done') return <Check size={14} role="img" aria-label="Done" />;
  if (step.state === 'current' && running) return <StatusGlyph status="running" />;
  return <Circle size={14} role="img" aria-label={step.state === 'current' ? 'Next' : 'To do'} />;
}

/** More pieces than this can't be told apart. */
const MOST_PIECES = 20;

function Bar({ steps }: { readonly steps: readonly PlanStep[] }) {
  return (
    <span className="plan-bar" aria-hidden="true">
      {steps.slice(0, MOST_PIECES).map(({ state }, index) => (
        <i key={index} className={state} />
      ))}
    </span>
  );
}

/** Of the turns in the state; `undefined` if none of them has a cost, or if older turns are missing: a part of it would be wrong. */
function costOf(state: SessionState | undefined): number | undefined {
  if (!state || state.earlierTurns !== undefined) return undefined;
  const costs = [...state.turns, state.activeTurn].flatMap((turn) => turn?.usage?.cost ?? []);
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}

function money(cost: number): string {
  return cost > 0 && cost < 0.01 ? 'under $0.01' : `$${cost.toFixed(2)}`;
}
