import Foundation
import TestSupport
import Testing

/// Every input that is kept under `Tests/Regressions` for a fuzz target, through the very function that is fuzzed.
struct RegressionTests {
    @Test(arguments: FuzzTarget.allCases)
    func keptInputsShowNothingAnyMore(_ target: FuzzTarget) throws {
        let folder = Fixtures.root.appending(path: "Tests/Regressions/\(target.rawValue)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            !$0.hasPrefix(".")
        }
        #expect(!names.isEmpty)
        for name in names.sorted() {
            let input = try Array(Data(contentsOf: folder.appending(path: name)))
            #expect(throws: Never.self, "\(target.rawValue)/\(name)") { try target.check(input) }
        }
    }
}
