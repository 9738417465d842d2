// Package host runs WebAssembly: it compiles modules, returns their memory to the OS, and
// implements the JavaScript functions that Emscripten modules import.
package host

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// page is the page size of WebAssembly.
const page = 64 << 10

// Program is a compiled module. It supports one instance at a time.
type Program struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	memory  int64
	allowed atomic.Uint64 // memory limit in bytes
	refused atomic.Bool   // the instance requested more
}

// Compile compiles a module. memory is the memory limit of its instances in bytes. It takes
// seconds unless the module is cached.
func Compile(ctx context.Context, wasm []byte, cache wazero.CompilationCache, memory int64) (*Program, error) {
	// Stopping modules when a context is done would require a check in each loop, which
	// makes them several times slower. To stop a module, end the process.
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(uint32(min(memory/page, 1<<16))).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesThreads). // some use atomic instructions, none uses threads
		WithCompilationCache(cache)
	p := &Program{runtime: wazero.NewRuntimeWithConfig(ctx, config), memory: memory}
	p.Allow(memory)
	var err error
	if p.code, err = p.runtime.CompileModule(ctx, wasm); err != nil {
		return nil, errors.Join(err, p.runtime.Close(ctx))
	}
	if len(p.code.ExportedMemories()) == 0 {
		return nil, errors.Join(errors.New("the module has no memory"), p.runtime.Close(ctx))
	}
	return p, nil
}

// Allow sets the memory limit of the instance, up to that of Compile. It has no effect on
// systems other than Unix.
func (p *Program) Allow(memory int64) {
	p.allowed.Store(uint64(memory))
	p.refused.Store(false)
}

// Refused reports whether the instance requested more memory than allowed since Allow was
// called.
func (p *Program) Refused() bool { return p.refused.Load() }

// Close releases the memory of a program.
func (p *Program) Close(ctx context.Context) error { return p.runtime.Close(ctx) }

// Instance is a running program.
type Instance struct {
	api.Module
	hosts []api.Module
}

// Start starts an instance. imports returns the implementation of each imported function,
// nil for an unknown one.
func (p *Program) Start(
	ctx context.Context, imports func(module, name string, f api.FunctionDefinition) api.GoModuleFunc,
) (_ *Instance, err error) {
	i := &Instance{}
	defer func() {
		if err != nil {
			err = errors.Join(err, i.Close(ctx))
		}
	}()
	builders := map[string]wazero.HostModuleBuilder{}
	have := map[[2]string]bool{}
	for _, f := range p.code.ImportedFunctions() {
		module, name, _ := f.Import()
		if have[[2]string{module, name}] {
			continue
		}
		have[[2]string{module, name}] = true
		fn := imports(module, name, f)
		if fn == nil {
			return nil, fmt.Errorf("the module imports %s.%s, which is not known: it is not of the version that dal is made for", module, name)
		}
		if builders[module] == nil {
			builders[module] = p.runtime.NewHostModuleBuilder(module)
		}
		builders[module].NewFunctionBuilder().WithGoModuleFunction(fn, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, b := range builders {
		m, err := b.Instantiate(ctx)
		if err != nil {
			return nil, err
		}
		i.hosts = append(i.hosts, m)
	}
	ctx = reserve(ctx, uint64(p.memory), &p.allowed, &p.refused)
	i.Module, err = p.runtime.InstantiateModule(ctx, p.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	return i, err
}

// Close ends an instance and releases its memory.
func (i *Instance) Close(ctx context.Context) error {
	var errs []error
	if i.Module != nil {
		errs = append(errs, i.Module.Close(ctx))
	}
	for _, h := range i.hosts {
		errs = append(errs, h.Close(ctx))
	}
	return errors.Join(errs...)
}

// Call calls an exported function. After an error, the instance must not be used again.
func (i *Instance) Call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	f := i.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("the module does not export %s: it is not of the version that dal is made for", name)
	}
	r, err := f.Call(ctx, args...)
	if err != nil || len(r) == 0 {
		return 0, err
	}
	return r[0], nil
}

// Bytes returns a view of the memory, which is valid until the memory grows.
func (i *Instance) Bytes(at, n uint64) ([]byte, error) {
	if at > 1<<32 || n > 1<<32 {
		return nil, errors.New("beyond the memory")
	}
	b, ok := i.Memory().Read(uint32(at), uint32(n))
	if !ok {
		return nil, errors.New("beyond the memory")
	}
	return b, nil
}
