import TestSupport

/// `authreel mock` in a folder of its own, listening; ended with ``end()``.
struct MockedProvider {
    let folder: TemporaryFolder
    private let mock: MockProcess

    /// Of the first capture's provider.
    var issuer: String { mock.issuer }

    init(_ captures: [String], _ options: [String] = []) throws {
        folder = try TemporaryFolder()
        mock = try MockProcess(options + captures, in: folder)
    }

    func end() {
        mock.end()
        folder.remove()
    }
}
