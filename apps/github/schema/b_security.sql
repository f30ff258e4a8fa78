-- Dependabot and secret scanning alerts, security advisories.

-- vulnerabilities: ecosystem, package, range, patched, functions. cwes: cwe_id, name.
CREATE TABLE advisory (
  ghsa_id TEXT PRIMARY KEY COLLATE NOCASE,
  cve_id TEXT COLLATE NOCASE,
  type TEXT NOT NULL DEFAULT 'reviewed' CHECK (type IN ('reviewed', 'malware', 'unreviewed')),
  summary TEXT NOT NULL,
  description TEXT,
  severity TEXT NOT NULL DEFAULT 'unknown' CHECK (severity IN ('unknown', 'low', 'medium', 'high', 'critical')),
  cvss_vector TEXT,
  cvss_score REAL,
  cwes TEXT NOT NULL DEFAULT '[]',
  reference_urls TEXT NOT NULL DEFAULT '[]',
  vulnerabilities TEXT NOT NULL DEFAULT '[]',
  published_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  withdrawn_ms INTEGER
);
CREATE INDEX advisory_by_cve ON advisory (cve_id);
CREATE INDEX advisory_by_published ON advisory (published_ms);

CREATE TABLE repo_advisory (
  ghsa_id TEXT PRIMARY KEY COLLATE NOCASE,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  cve_id TEXT,
  state TEXT NOT NULL DEFAULT 'published' CHECK (state IN ('triage', 'draft', 'published', 'closed', 'withdrawn')),
  summary TEXT NOT NULL,
  description TEXT,
  severity TEXT CHECK (severity IN ('low', 'medium', 'high', 'critical')),
  cwes TEXT NOT NULL DEFAULT '[]',
  vulnerabilities TEXT NOT NULL DEFAULT '[]',
  author_id INTEGER REFERENCES account (id),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  published_ms INTEGER,
  closed_ms INTEGER
);
CREATE INDEX repo_advisory_by_repo ON repo_advisory (repo_id);

CREATE TABLE dependabot_alert (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'fixed', 'dismissed', 'auto_dismissed')),
  ghsa_id TEXT NOT NULL REFERENCES advisory (ghsa_id),
  ecosystem TEXT NOT NULL,
  package TEXT NOT NULL,
  manifest_path TEXT NOT NULL,
  scope TEXT NOT NULL DEFAULT 'runtime' CHECK (scope IN ('runtime', 'development')),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  fixed_ms INTEGER,
  dismissed_ms INTEGER,
  dismissed_by_id INTEGER REFERENCES account (id),
  dismissed_reason TEXT CHECK (dismissed_reason IN ('fix_started', 'inaccurate', 'no_bandwidth', 'not_used', 'tolerable_risk')),
  dismissed_comment TEXT,
  UNIQUE (repo_id, number)
);
CREATE INDEX dependabot_alert_by_advisory ON dependabot_alert (ghsa_id);

CREATE TABLE secret_alert (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'resolved')),
  secret_type TEXT NOT NULL,
  secret_type_display_name TEXT NOT NULL,
  secret TEXT NOT NULL,
  validity TEXT NOT NULL DEFAULT 'unknown' CHECK (validity IN ('active', 'inactive', 'unknown')),
  path TEXT,
  line INTEGER,
  push_protection_bypassed INTEGER NOT NULL DEFAULT 0,
  resolution TEXT CHECK (resolution IN ('false_positive', 'wont_fix', 'revoked', 'pattern_edited', 'pattern_deleted', 'used_in_tests')),
  resolution_comment TEXT,
  resolved_by_id INTEGER REFERENCES account (id),
  resolved_ms INTEGER,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  UNIQUE (repo_id, number)
);

-- ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE VIEW advisory_json AS
SELECT a.ghsa_id, json_object(
  'ghsa_id', a.ghsa_id, 'cve_id', a.cve_id, 'url', 'https://api.github.com/advisories/' || a.ghsa_id,
  'html_url', 'https://github.com/advisories/' || a.ghsa_id, 'summary', a.summary, 'description', a.description, 'type', a.type,
  'severity', a.severity, 'identifiers', (SELECT json_group_array(json_object('type', x.type, 'value', x.value))
    FROM (SELECT 'GHSA' AS type, a.ghsa_id AS value UNION ALL SELECT 'CVE', a.cve_id) x WHERE x.value IS NOT NULL),
  'references', json(a.reference_urls), 'published_at', time_format(a.published_ms, 'rfc3339'),
  'updated_at', time_format(a.updated_ms, 'rfc3339'), 'github_reviewed_at', iif(a.type = 'unreviewed', NULL, time_format(a.published_ms, 'rfc3339')),
  'withdrawn_at', time_format(a.withdrawn_ms, 'rfc3339'),
  'vulnerabilities', (SELECT json_group_array(json_object(
      'package', json_object('ecosystem', json_extract(v.value, '$.ecosystem'), 'name', json_extract(v.value, '$.package')),
      'vulnerable_version_range', json_extract(v.value, '$.range'), 'first_patched_version', json_extract(v.value, '$.patched'),
      'vulnerable_functions', json(coalesce(json_extract(v.value, '$.functions'), '[]')))) FROM json_each(a.vulnerabilities) v),
  'cvss', json_object('vector_string', a.cvss_vector, 'score', a.cvss_score), 'cwes', json(a.cwes)) AS body
FROM advisory a;

CREATE VIEW repo_advisory_json AS
SELECT a.ghsa_id, a.repo_id, json_object(
  'ghsa_id', a.ghsa_id, 'cve_id', a.cve_id, 'url', n.api_url || '/security-advisories/' || a.ghsa_id,
  'html_url', n.web_url || '/security/advisories/' || a.ghsa_id, 'summary', a.summary, 'description', a.description, 'severity', a.severity,
  'author', (SELECT json(u.body) FROM account_json u WHERE u.id = a.author_id), 'state', a.state,
  'created_at', time_format(a.created_ms, 'rfc3339'), 'updated_at', time_format(a.updated_ms, 'rfc3339'),
  'published_at', time_format(a.published_ms, 'rfc3339'), 'closed_at', time_format(a.closed_ms, 'rfc3339'),
  'vulnerabilities', (SELECT json_group_array(json_object(
      'package', json_object('ecosystem', json_extract(v.value, '$.ecosystem'), 'name', json_extract(v.value, '$.package')),
      'vulnerable_version_range', json_extract(v.value, '$.range'), 'patched_versions', json_extract(v.value, '$.patched')))
    FROM json_each(a.vulnerabilities) v), 'cwes', json(a.cwes)) AS body
FROM repo_advisory a JOIN repo_name n ON n.id = a.repo_id;

CREATE VIEW dependabot_alert_json AS
SELECT t.id, t.repo_id, t.number, json_object(
  'number', t.number, 'state', t.state, 'dependency', json_object(
    'package', json_object('ecosystem', t.ecosystem, 'name', t.package), 'manifest_path', t.manifest_path, 'scope', t.scope),
  'security_advisory', json_object('ghsa_id', a.ghsa_id, 'cve_id', a.cve_id, 'summary', a.summary, 'description', a.description,
    'severity', a.severity, 'cvss', json_object('score', a.cvss_score, 'vector_string', a.cvss_vector), 'cwes', json(a.cwes),
    'published_at', time_format(a.published_ms, 'rfc3339'), 'updated_at', time_format(a.updated_ms, 'rfc3339')),
  'security_vulnerability', (SELECT json_object('package', json_object('ecosystem', t.ecosystem, 'name', t.package), 'severity', a.severity,
      'vulnerable_version_range', json_extract(v.value, '$.range'),
      'first_patched_version', CASE WHEN json_extract(v.value, '$.patched') IS NOT NULL
        THEN json_object('identifier', json_extract(v.value, '$.patched')) END)
    FROM json_each(a.vulnerabilities) v
    WHERE json_extract(v.value, '$.package') = t.package AND json_extract(v.value, '$.ecosystem') = t.ecosystem LIMIT 1),
  'url', n.api_url || '/dependabot/alerts/' || t.number, 'html_url', n.web_url || '/security/dependabot/' || t.number,
  'created_at', time_format(t.created_ms, 'rfc3339'), 'updated_at', time_format(t.updated_ms, 'rfc3339'),
  'dismissed_at', time_format(t.dismissed_ms, 'rfc3339'), 'dismissed_by', (SELECT json(u.body) FROM account_json u WHERE u.id = t.dismissed_by_id),
  'dismissed_reason', t.dismissed_reason, 'dismissed_comment', t.dismissed_comment, 'fixed_at', time_format(t.fixed_ms, 'rfc3339')) AS body
FROM dependabot_alert t JOIN advisory a ON a.ghsa_id = t.ghsa_id JOIN repo_name n ON n.id = t.repo_id;

CREATE VIEW secret_alert_json AS
SELECT t.id, t.repo_id, t.number, json_object(
  'number', t.number, 'created_at', time_format(t.created_ms, 'rfc3339'), 'updated_at', time_format(t.updated_ms, 'rfc3339'),
  'url', n.api_url || '/secret-scanning/alerts/' || t.number, 'html_url', n.web_url || '/security/secret-scanning/' || t.number,
  'locations_url', n.api_url || '/secret-scanning/alerts/' || t.number || '/locations', 'state', t.state, 'resolution', t.resolution,
  'resolved_at', time_format(t.resolved_ms, 'rfc3339'), 'resolved_by', (SELECT json(u.body) FROM account_json u WHERE u.id = t.resolved_by_id),
  'resolution_comment', t.resolution_comment, 'secret_type', t.secret_type, 'secret_type_display_name', t.secret_type_display_name,
  'secret', t.secret, 'validity', t.validity, 'push_protection_bypassed', json(iif(t.push_protection_bypassed, 'true', 'false')),
  'first_location_detected', CASE WHEN t.path IS NOT NULL THEN json_object('path', t.path, 'start_line', t.line, 'end_line', t.line) END) AS body
FROM secret_alert t JOIN repo_name n ON n.id = t.repo_id;
