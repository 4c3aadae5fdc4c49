/** Packages of the lock file that run install scripts without being allowed to. */
export function unlistedInstallScripts(lock, allowed) {
  return Object.entries(lock.packages)
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length))
    .filter((name) => allowed[name] !== true);
}

/** The result of `npm audit --json`: nothing serious, something serious, or no result. */
export function judgeAudit(output) {
  let report;
  try {
    report = JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return { outcome: 'notChecked', detail: output.trim().slice(0, 300) || 'npm said nothing' };
  }
  const counts = report.metadata?.vulnerabilities;
  if (!counts) return { outcome: 'notChecked', detail: report.message ?? report.error?.summary ?? 'no report' };
  const serious = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  );
  const detail = serious.map(({ name, severity, range }) => `${name} ${range ?? ''} (${severity})`).join(', ');
  const found = counts.high + counts.critical;
  return found > 0
    ? { outcome: 'vulnerable', detail: detail || `${found} found` }
    : { outcome: 'sound', detail: `${counts.total} less serious` };
}
