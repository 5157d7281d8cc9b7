import Foundation
import Proxy

extension FileKind {
    /// Of what a path leads to, links followed; nil where nothing is.
    init?(at path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        switch facts.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        default: self = .other
        }
    }
}
