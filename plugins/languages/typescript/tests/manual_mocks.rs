//! Manual mocks in `__mocks__`: the exports that they replace are listed.
//! The notation is that of `completeness.rs`.

use crate::host::check_marked as check;

#[test]
fn exports_with_a_manual_mock_are_listed() {
    let mock = "// src/__mocks__/api.ts\nexport const getUser = jest.fn(() => 2);";
    check(
        &format!("{mock}\n// src/api.ts\nexport const ¦getUser = () => 1;"),
        &format!("{mock}\n// src/api.ts\nexport const §New = () => 1;"),
    );
    check(
        &format!(
            "{mock}\n// src/api.test.ts\nimport {{ getUser }} from './api'; jest.mock('./api'); getUser();\n// src/api.ts\nexport function ¦getUser() {{}}"
        ),
        &format!(
            "{mock}\n// src/api.test.ts\nimport {{ New }} from './api'; jest.mock('§./api'); New();\n// src/api.ts\nexport function §New() {{}}"
        ),
    );
    // Another name, and a function that creates the mock.
    check(
        &format!("{mock}\n// src/api.ts\nexport const ¦getPost = () => 1;"),
        &format!("{mock}\n// src/api.ts\nexport const New = () => 1;"),
    );
    check(
        "// src/api.test.ts\nimport { getUser } from './api'; vi.mock('./api', () => ({ getUser: () => 2 }));\n// src/api.ts\nexport const ¦getUser = () => 1;",
        "// src/api.test.ts\nimport { New } from './api'; vi.mock('./api', () => ({ New: () => 2 }));\n// src/api.ts\nexport const New = () => 1;",
    );
}
