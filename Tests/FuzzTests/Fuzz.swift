// The program that libFuzzer drives; `run` builds it with every target in it.
import Foundation

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ check: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The target that this process is for: `AUTHREEL_FUZZ_TARGET`.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["AUTHREEL_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.allCases.first(where: { $0.name == name }) else {
        fatalError("no target \(name); there are: \(FuzzTarget.allCases.map(\.name).joined(separator: ", "))")
    }
    return target
}()

/// SwiftPM makes this the entry of the executable `Fuzz`.
@_cdecl("Fuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    var count = count
    var arguments = arguments
    return runDriver(&count, &arguments) { bytes, size in
        let input = Array(UnsafeBufferPointer(start: bytes, count: size))
        do { try target.check(input) } catch { fatalError("finding: \(error)") }
        return 0
    }
}
