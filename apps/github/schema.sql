-- GitHub. How it is meant to be used (tools of every profile share this):
--
-- * Accounts (people, organizations, bots) have numeric ids; :me_id is the signed-in one. Logins and repository names ignore case.
-- * Git objects belong to a network: a repository and its forks share their commits, as on GitHub. Look a commit up by
--   (network_id, sha). A commit has a tree; a tree is the full list (tree_id, path, blob_sha), never changed once it is there.
--   Content is stored once per blob. Tree 0 is the empty tree: the "parent" of a first commit in diffs.
-- * Procedures of app.yaml do what tools share; each says in a comment what it needs and what it gives. A tool first sets :failed,
--   what it could not do and the request, since their error texts begin with it.
--     finding     paging, find_repo, pushable_repo, not_archived, find_branch, resolve_ref, find_issue, find_pull
--     reading     list_history, list_folder, read_path, compare_commits, changed_files (unified patches), merge_plan, combined_status,
--                 pull_facts, pull_detail, locate_line (a line of a patch), search_scope (before each `query:` step)
--     writing     new_tree (a copy of a tree, to change), put_file, apply_plan, commit_to_branch, write_commit, first_commit, fork_repo,
--                 check_lists, set_labels, set_assignees, change_state, close_mentioned
--   A bound :me_id is text: write CAST(:me_id AS INTEGER) to compare it with another variable; with a column nothing is needed.
-- * An issue row stands for an issue or a pull request: they share numbers. pull has what only pull requests have, its key is the
--   issue's. Triggers keep pull.head_commit_id and base_commit_id on the branches while it is open, and the times of last change.
-- * Answers are views in schema/json.sql with a column `body`: account_json, account_full_json, repo_json, issue_json, pull_json,
--   comment_json, review_json, review_comment_json, label_json, milestone_json, commit_json (by repo_id and commit_id).
--   In SQL: json((SELECT body FROM issue_json WHERE id = :issue_id)). The default profile has words of its own: schema/klavis.sql.
-- * Times are milliseconds (…_ms); iso() does not exist, write time_format(x_ms, 'rfc3339').

-- ── Accounts ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  login TEXT NOT NULL UNIQUE COLLATE NOCASE,
  type TEXT NOT NULL DEFAULT 'User' CHECK (type IN ('User', 'Organization', 'Bot')),
  name TEXT,
  email TEXT COLLATE NOCASE,
  company TEXT,
  blog TEXT,
  location TEXT,
  bio TEXT,
  twitter_username TEXT,
  hireable INTEGER,
  site_admin INTEGER NOT NULL DEFAULT 0,
  followers INTEGER NOT NULL DEFAULT 0,
  following INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX account_by_email ON account (email);

CREATE TABLE org_member (
  org_id INTEGER NOT NULL REFERENCES account (id),
  account_id INTEGER NOT NULL REFERENCES account (id),
  role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'admin')),
  PRIMARY KEY (org_id, account_id)
) WITHOUT ROWID;
CREATE INDEX org_member_by_account ON org_member (account_id);

-- ── Repositories ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE repo (
  id INTEGER PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  homepage TEXT,
  private INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  disabled INTEGER NOT NULL DEFAULT 0,
  is_template INTEGER NOT NULL DEFAULT 0,
  has_issues INTEGER NOT NULL DEFAULT 1,
  default_branch TEXT NOT NULL DEFAULT 'main',
  language TEXT,                                   -- NULL: told from the files
  license TEXT,                                    -- SPDX id
  topics TEXT NOT NULL DEFAULT '[]',
  parent_id INTEGER REFERENCES repo (id),          -- of a fork
  network_id INTEGER,                              -- the repository at the root of the forks; set by a trigger
  stars_elsewhere INTEGER NOT NULL DEFAULT 0,      -- stars, forks and watchers that are not in these tables
  forks_elsewhere INTEGER NOT NULL DEFAULT 0,
  watchers INTEGER NOT NULL DEFAULT 0,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  pushed_ms INTEGER NOT NULL,
  UNIQUE (owner_id, name)
);
CREATE INDEX repo_by_network ON repo (network_id);
CREATE INDEX repo_by_parent ON repo (parent_id);

CREATE TRIGGER repo_network AFTER INSERT ON repo WHEN NEW.network_id IS NULL BEGIN
  UPDATE repo SET network_id = coalesce((SELECT p.network_id FROM repo p WHERE p.id = NEW.parent_id), NEW.id) WHERE id = NEW.id;
END;

-- Who may write to a repository besides its owner and the members of its organization.
CREATE TABLE collaborator (
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  permission TEXT NOT NULL DEFAULT 'write' CHECK (permission IN ('read', 'triage', 'write', 'maintain', 'admin')),
  PRIMARY KEY (repo_id, account_id)
) WITHOUT ROWID;
CREATE INDEX collaborator_by_account ON collaborator (account_id);

-- permission of an account on a repository: admin, write, … or read for what is public; no row: it cannot be seen.
CREATE VIEW repo_access AS
SELECT r.id AS repo_id, a.id AS account_id,
  CASE
    WHEN r.owner_id = a.id THEN 'admin'
    WHEN m.role = 'admin' THEN 'admin'
    WHEN c.permission IS NOT NULL THEN c.permission
    WHEN m.role IS NOT NULL THEN 'write'
    ELSE 'read'
  END AS permission
FROM repo r
JOIN account a
LEFT JOIN org_member m ON m.org_id = r.owner_id AND m.account_id = a.id
LEFT JOIN collaborator c ON c.repo_id = r.id AND c.account_id = a.id
WHERE NOT r.private OR r.owner_id = a.id OR m.role IS NOT NULL OR c.permission IS NOT NULL;

CREATE TABLE star (
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  starred_ms INTEGER NOT NULL,
  PRIMARY KEY (repo_id, account_id)
) WITHOUT ROWID;
CREATE INDEX star_by_account ON star (account_id);

-- ── Git ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE blob (
  sha TEXT PRIMARY KEY,                            -- git_blob_sha(content)
  content NOT NULL,                                -- text, or a blob when it is no UTF-8
  size INTEGER NOT NULL
);

CREATE TABLE tree (
  id INTEGER PRIMARY KEY,
  sha TEXT NOT NULL DEFAULT (new_hex(40))
);
INSERT INTO tree (id, sha) VALUES (0, '4b825dc642cb6eb9a060e54bf8d69288fbee4904');

CREATE TABLE tree_entry (
  tree_id INTEGER NOT NULL REFERENCES tree (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  blob_sha TEXT NOT NULL REFERENCES blob (sha),
  mode TEXT NOT NULL DEFAULT '100644',
  PRIMARY KEY (tree_id, path)
) WITHOUT ROWID;

CREATE TABLE git_commit (
  id INTEGER PRIMARY KEY,
  network_id INTEGER NOT NULL,
  sha TEXT NOT NULL,
  tree_id INTEGER NOT NULL REFERENCES tree (id),
  message TEXT NOT NULL,
  author_id INTEGER REFERENCES account (id),       -- NULL: nobody with an account
  author_name TEXT NOT NULL,
  author_email TEXT NOT NULL,
  authored_ms INTEGER NOT NULL,
  committer_id INTEGER REFERENCES account (id),
  committer_name TEXT NOT NULL,
  committer_email TEXT NOT NULL,
  committed_ms INTEGER NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,           -- 1 + the greatest of its parents': the best common ancestor has the greatest
  UNIQUE (network_id, sha)
);
CREATE INDEX git_commit_by_sha ON git_commit (sha);
CREATE INDEX git_commit_by_author ON git_commit (author_id);

CREATE TABLE commit_parent (
  commit_id INTEGER NOT NULL REFERENCES git_commit (id),
  position INTEGER NOT NULL,
  parent_id INTEGER NOT NULL REFERENCES git_commit (id),
  PRIMARY KEY (commit_id, position)
) WITHOUT ROWID;
CREATE INDEX commit_parent_by_parent ON commit_parent (parent_id);

CREATE TABLE branch (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  commit_id INTEGER NOT NULL REFERENCES git_commit (id),
  protected INTEGER NOT NULL DEFAULT 0,
  -- How the document of `initialize` named the folder at the top; NULL when there was none.
  root_name TEXT,
  root_path TEXT,
  root_dir TEXT,                                   -- root_path as git has paths
  document_commit_id INTEGER,                      -- where it was then; NULL when it did not come from a document's folders
  UNIQUE (repo_id, name)
);
CREATE INDEX branch_by_commit ON branch (commit_id);

-- message NULL: a lightweight tag.
CREATE TABLE tag (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  commit_id INTEGER NOT NULL REFERENCES git_commit (id),
  sha TEXT NOT NULL DEFAULT (new_hex(40)),         -- of the tag object
  message TEXT,
  tagger_id INTEGER REFERENCES account (id),
  tagged_ms INTEGER,
  UNIQUE (repo_id, name)
);

-- The order, and the empty folders, of a document that `initialize` took: git keeps neither.
CREATE TABLE document_path (
  branch_id INTEGER NOT NULL REFERENCES branch (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  given_path TEXT NOT NULL,                        -- path, as it was written
  is_folder INTEGER NOT NULL DEFAULT 0,
  without_content INTEGER NOT NULL DEFAULT 0,      -- content was null
  position INTEGER NOT NULL,
  PRIMARY KEY (branch_id, path)
) WITHOUT ROWID;

-- ── Issues and pull requests ─────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE label (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  name TEXT NOT NULL COLLATE NOCASE,
  color TEXT NOT NULL DEFAULT 'ededed',
  description TEXT,
  is_default INTEGER NOT NULL DEFAULT 0,
  UNIQUE (repo_id, name)
);

-- What a new repository has.
CREATE TABLE default_label (name TEXT PRIMARY KEY, color TEXT NOT NULL, description TEXT NOT NULL);
INSERT INTO default_label (name, color, description) VALUES
  ('bug', 'd73a4a', 'Something isn''t working'),
  ('documentation', '0075ca', 'Improvements or additions to documentation'),
  ('duplicate', 'cfd3d7', 'This issue or pull request already exists'),
  ('enhancement', 'a2eeef', 'New feature or request'),
  ('good first issue', '7057ff', 'Good for newcomers'),
  ('help wanted', '008672', 'Extra attention is needed'),
  ('invalid', 'e4e669', 'This doesn''t seem right'),
  ('question', 'd876e3', 'Further information is requested'),
  ('wontfix', 'ffffff', 'This will not be worked on');

CREATE TRIGGER repo_labels AFTER INSERT ON repo BEGIN
  INSERT INTO label (repo_id, name, color, description, is_default)
  SELECT NEW.id, d.name, d.color, d.description, 1 FROM default_label d ORDER BY d.name;
END;

CREATE TABLE milestone (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  title TEXT NOT NULL COLLATE NOCASE,
  description TEXT,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  creator_id INTEGER REFERENCES account (id),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  closed_ms INTEGER,
  due_ms INTEGER,
  UNIQUE (repo_id, number),
  UNIQUE (repo_id, title)
);

CREATE TABLE issue (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  is_pull INTEGER NOT NULL DEFAULT 0,
  title TEXT NOT NULL,
  body TEXT,
  author_id INTEGER NOT NULL REFERENCES account (id),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'closed')),
  state_reason TEXT CHECK (state_reason IN ('completed', 'not_planned', 'duplicate', 'reopened')),
  issue_type TEXT,
  milestone_id INTEGER REFERENCES milestone (id) ON DELETE SET NULL,
  locked INTEGER NOT NULL DEFAULT 0,
  active_lock_reason TEXT,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  closed_ms INTEGER,
  closed_by_id INTEGER REFERENCES account (id),
  UNIQUE (repo_id, number)
);
CREATE INDEX issue_by_author ON issue (author_id);
CREATE INDEX issue_by_milestone ON issue (milestone_id);

CREATE TABLE issue_label (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  label_id INTEGER NOT NULL REFERENCES label (id) ON DELETE CASCADE,
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (issue_id, label_id)
) WITHOUT ROWID;
CREATE INDEX issue_label_by_label ON issue_label (label_id);

CREATE TABLE issue_assignee (
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  position INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (issue_id, account_id)
) WITHOUT ROWID;
CREATE INDEX issue_assignee_by_account ON issue_assignee (account_id);

CREATE TABLE issue_comment (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES issue (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES account (id),
  body TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX issue_comment_by_issue ON issue_comment (issue_id);
CREATE INDEX issue_comment_by_author ON issue_comment (author_id);

CREATE TRIGGER issue_comment_touches AFTER INSERT ON issue_comment BEGIN
  UPDATE issue SET updated_ms = max(updated_ms, NEW.created_ms) WHERE id = NEW.issue_id;
END;

-- subject: 'issue' (also of pull requests), 'comment' or 'review_comment', with the id of that row.
CREATE TABLE reaction (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL CHECK (subject IN ('issue', 'comment', 'review_comment')),
  subject_id INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES account (id),
  content TEXT NOT NULL CHECK (content IN ('+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes')),
  UNIQUE (subject, subject_id, account_id, content)
);

CREATE TABLE pull (
  issue_id INTEGER PRIMARY KEY REFERENCES issue (id) ON DELETE CASCADE,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  head_repo_id INTEGER REFERENCES repo (id) ON DELETE SET NULL,  -- another one for a pull request from a fork
  head_ref TEXT NOT NULL,
  base_ref TEXT NOT NULL,
  head_commit_id INTEGER REFERENCES git_commit (id),             -- where the branches were last, or are while it is open
  base_commit_id INTEGER REFERENCES git_commit (id),
  draft INTEGER NOT NULL DEFAULT 0,
  maintainer_can_modify INTEGER NOT NULL DEFAULT 0,
  merged_ms INTEGER,
  merged_by_id INTEGER REFERENCES account (id),
  merge_commit_id INTEGER REFERENCES git_commit (id)
);
CREATE INDEX pull_by_head ON pull (head_repo_id, head_ref);
CREATE INDEX pull_by_base ON pull (repo_id, base_ref);
CREATE INDEX pull_by_head_commit ON pull (head_commit_id);

CREATE TRIGGER branch_moves AFTER UPDATE OF commit_id ON branch WHEN NEW.commit_id <> OLD.commit_id BEGIN
  UPDATE pull SET head_commit_id = NEW.commit_id
    WHERE head_repo_id = NEW.repo_id AND head_ref = NEW.name AND (SELECT i.state FROM issue i WHERE i.id = issue_id) = 'open';
  UPDATE pull SET base_commit_id = NEW.commit_id
    WHERE repo_id = NEW.repo_id AND base_ref = NEW.name AND (SELECT i.state FROM issue i WHERE i.id = issue_id) = 'open';
  UPDATE issue SET updated_ms = max(updated_ms, (SELECT c.committed_ms FROM git_commit c WHERE c.id = NEW.commit_id))
    WHERE state = 'open' AND id IN (SELECT p.issue_id FROM pull p WHERE p.head_repo_id = NEW.repo_id AND p.head_ref = NEW.name);
  UPDATE repo SET pushed_ms = max(pushed_ms, (SELECT c.committed_ms FROM git_commit c WHERE c.id = NEW.commit_id)),
    updated_ms = max(updated_ms, (SELECT c.committed_ms FROM git_commit c WHERE c.id = NEW.commit_id))
    WHERE id = NEW.repo_id;
END;

CREATE TABLE review_request (
  issue_id INTEGER NOT NULL REFERENCES pull (issue_id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES account (id),
  PRIMARY KEY (issue_id, account_id)
) WITHOUT ROWID;
CREATE INDEX review_request_by_account ON review_request (account_id);

-- A PENDING review is seen by its author only.
CREATE TABLE review (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES pull (issue_id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES account (id),
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED')),
  body TEXT NOT NULL DEFAULT '',
  commit_id INTEGER REFERENCES git_commit (id),
  submitted_ms INTEGER                             -- NULL while pending
);
CREATE INDEX review_by_pull ON review (issue_id);
CREATE INDEX review_by_author ON review (author_id);

CREATE TABLE review_comment (
  id INTEGER PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES pull (issue_id) ON DELETE CASCADE,
  review_id INTEGER REFERENCES review (id) ON DELETE CASCADE,
  author_id INTEGER NOT NULL REFERENCES account (id),
  commit_id INTEGER REFERENCES git_commit (id),
  path TEXT NOT NULL,
  diff_hunk TEXT NOT NULL DEFAULT '',
  position INTEGER,                                -- lines below the first @@ of the file's patch
  line INTEGER,
  side TEXT CHECK (side IN ('LEFT', 'RIGHT')),
  start_line INTEGER,
  start_side TEXT CHECK (start_side IN ('LEFT', 'RIGHT')),
  subject_type TEXT NOT NULL DEFAULT 'line' CHECK (subject_type IN ('line', 'file')),
  in_reply_to_id INTEGER REFERENCES review_comment (id) ON DELETE CASCADE,
  resolved INTEGER NOT NULL DEFAULT 0,             -- of the first comment of a thread: the thread
  body TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL
);
CREATE INDEX review_comment_by_pull ON review_comment (issue_id);
CREATE INDEX review_comment_by_review ON review_comment (review_id);
CREATE INDEX review_comment_by_reply ON review_comment (in_reply_to_id);

CREATE TRIGGER review_touches AFTER INSERT ON review WHEN NEW.submitted_ms IS NOT NULL BEGIN
  UPDATE issue SET updated_ms = max(updated_ms, NEW.submitted_ms) WHERE id = NEW.issue_id;
END;
CREATE TRIGGER review_comment_touches AFTER INSERT ON review_comment BEGIN
  UPDATE issue SET updated_ms = max(updated_ms, NEW.created_ms) WHERE id = NEW.issue_id;
END;

-- ── Statuses, checks, alerts ─────────────────────────────────────────────────────────────────────────────────────────────────

-- The latest row of each context counts.
CREATE TABLE commit_status (
  id INTEGER PRIMARY KEY,
  commit_id INTEGER NOT NULL REFERENCES git_commit (id),
  context TEXT NOT NULL DEFAULT 'default',
  state TEXT NOT NULL CHECK (state IN ('error', 'failure', 'pending', 'success')),
  description TEXT,
  target_url TEXT,
  creator_id INTEGER REFERENCES account (id),
  created_ms INTEGER NOT NULL
);
CREATE INDEX commit_status_by_commit ON commit_status (commit_id);

CREATE TABLE check_run (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  commit_id INTEGER NOT NULL REFERENCES git_commit (id),
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'completed' CHECK (status IN ('queued', 'in_progress', 'completed')),
  conclusion TEXT CHECK (conclusion IN ('success', 'failure', 'neutral', 'cancelled', 'skipped', 'timed_out', 'action_required')),
  started_ms INTEGER,
  completed_ms INTEGER,
  details_url TEXT
);
CREATE INDEX check_run_by_commit ON check_run (commit_id);

CREATE TABLE code_scanning_alert (
  id INTEGER PRIMARY KEY,
  repo_id INTEGER NOT NULL REFERENCES repo (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'dismissed', 'fixed')),
  rule_id TEXT NOT NULL,
  rule_name TEXT,
  rule_description TEXT NOT NULL,
  rule_severity TEXT NOT NULL DEFAULT 'warning' CHECK (rule_severity IN ('none', 'note', 'warning', 'error')),
  security_severity TEXT CHECK (security_severity IN ('low', 'medium', 'high', 'critical')),
  rule_tags TEXT NOT NULL DEFAULT '[]',
  tool_name TEXT NOT NULL DEFAULT 'CodeQL',
  tool_version TEXT,
  ref TEXT NOT NULL,                               -- refs/heads/main
  commit_id INTEGER REFERENCES git_commit (id),
  category TEXT,
  path TEXT NOT NULL,
  start_line INTEGER NOT NULL DEFAULT 1,
  end_line INTEGER NOT NULL DEFAULT 1,
  start_column INTEGER NOT NULL DEFAULT 1,
  end_column INTEGER NOT NULL DEFAULT 1,
  message TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  fixed_ms INTEGER,
  dismissed_ms INTEGER,
  dismissed_by_id INTEGER REFERENCES account (id),
  dismissed_reason TEXT CHECK (dismissed_reason IN ('false positive', 'won''t fix', 'used in tests')),
  dismissed_comment TEXT,
  UNIQUE (repo_id, number)
);

-- ── Facts ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE language (extension TEXT PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE, is_code INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO language (extension, name, is_code) VALUES
  ('c', 'C', 1), ('h', 'C', 1), ('cc', 'C++', 1), ('cpp', 'C++', 1), ('hpp', 'C++', 1), ('cs', 'C#', 1), ('css', 'CSS', 1),
  ('dart', 'Dart', 1), ('go', 'Go', 1), ('html', 'HTML', 1), ('java', 'Java', 1), ('js', 'JavaScript', 1), ('jsx', 'JavaScript', 1),
  ('mjs', 'JavaScript', 1), ('kt', 'Kotlin', 1), ('lua', 'Lua', 1), ('php', 'PHP', 1), ('pl', 'Perl', 1), ('ps1', 'PowerShell', 1),
  ('py', 'Python', 1), ('ipynb', 'Jupyter Notebook', 1), ('r', 'R', 1), ('rb', 'Ruby', 1), ('rs', 'Rust', 1), ('scala', 'Scala', 1),
  ('sh', 'Shell', 1), ('swift', 'Swift', 1), ('tf', 'HCL', 1), ('ts', 'TypeScript', 1), ('tsx', 'TypeScript', 1), ('vue', 'Vue', 1),
  ('zig', 'Zig', 1), ('sql', 'SQL', 0), ('md', 'Markdown', 0), ('json', 'JSON', 0), ('yaml', 'YAML', 0), ('yml', 'YAML', 0),
  ('toml', 'TOML', 0), ('xml', 'XML', 0), ('txt', 'Text', 0), ('csv', 'CSV', 0), ('ini', 'INI', 0);
